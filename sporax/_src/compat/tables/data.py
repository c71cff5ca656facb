"""Import paths: `dataset` and `mindrecord`."""

TABLE = """
dataset.audio.{transforms,utils}    = sporax.dataset.audio
dataset.audio.transforms            = sporax._src.data.audio.base: AudioTensorOperation
dataset.audio.transforms = sporax.dataset.audio: AllpassBiquad AmplitudeToDB Angle BandBiquad BandpassBiquad
    BandrejectBiquad BassBiquad Biquad ComplexNorm ComputeDeltas Contrast DBToAmplitude DCShift DeemphBiquad
    DetectPitchFrequency Dither EqualizerBiquad Fade Filtfilt Flanger FrequencyMasking Gain GriffinLim HighpassBiquad
    InverseMelScale InverseSpectrogram LFCC LFilter LowpassBiquad MFCC Magphase MaskAlongAxis MaskAlongAxisIID MelScale
    MelSpectrogram MuLawDecoding MuLawEncoding Overdrive PhaseVocoder Phaser PitchShift Resample RiaaBiquad SlidingWindowCmn
    SpectralCentroid Spectrogram TimeMasking TimeStretch TrebleBiquad Vad Vol                                @home
dataset                 = sporax._src.compat.shims.dataset.transforms.py_transforms_util: Implementation
dataset.{callback,callback.ds_callback}     = sporax.dataset: DSCallback WaitedDSCallback
dataset dataset.engine.datasets     = sporax.dataset: MappableDataset as VisionBaseDataset
dataset.core.config     = sporax.dataset.config
dataset.core.validator_helpers  = sporax._src.compat.shims.dataset.core.validator_helpers
dataset.engine          = sporax.dataset
dataset.engine          = sporax.dataset: config                                                             @mindspore
dataset                 = sporax: dataset as ds; sporax.dataset.config: set_seed                             @mindspore
dataset.py_transforms   = sporax.dataset.transforms                                                          @mindspore
dataset.engine.datasets_{audio,standard_format,text,user_defined,vision}  = sporax.dataset
dataset.engine.datasets_audio   = sporax.dataset: CMUArcticDataset GTZANDataset LJSpeechDataset LibriTTSDataset
    SpeechCommandsDataset TedliumDataset YesNoDataset                                                        @home
dataset.engine.datasets_text    = sporax.dataset: AGNewsDataset AmazonReviewDataset CLUEDataset CoNLL2000Dataset
    DBpediaDataset EnWik9Dataset IMDBDataset IWSLT2016Dataset IWSLT2017Dataset Multi30kDataset PennTreebankDataset
    SQuADDataset SST2Dataset SogouNewsDataset TextFileDataset UDPOSDataset WikiTextDataset YahooAnswersDataset
    YelpReviewDataset                                                                                        @home
dataset.engine.datasets_vision  = sporax.dataset: Caltech101Dataset Caltech256Dataset CelebADataset Cifar100Dataset
    Cifar10Dataset CityscapesDataset CocoDataset DIV2KDataset EMnistDataset FakeImageDataset FashionMnistDataset
    FlickrDataset Flowers102Dataset Food101Dataset ImageFolderDataset KITTIDataset KMnistDataset LFWDataset LSUNDataset
    ManifestDataset MnistDataset OmniglotDataset PhotoTourDataset Places365Dataset QMnistDataset RandomDataset
    RenderedSST2Dataset SBDataset SBUDataset STL10Dataset SUN397Dataset SVHNDataset SemeionDataset USPSDataset VOCDataset
    WIDERFaceDataset                                                                                         @home
dataset.engine.datasets_standard_format = sporax.dataset: CSVDataset MindDataset TFRecordDataset             @home
dataset.engine.datasets_user_defined    = sporax.dataset: GeneratorDataset NumpySlicesDataset PaddedDataset  @home
dataset.engine.datasets = sporax.dataset; sporax._src.compat.shims.dataset.engine.datasets: _set_training_dataset
dataset.engine.datasets = sporax.dataset: BatchDataset BatchInfo BucketBatchByLengthDataset ConcatDataset Dataset
    FilterDataset MapDataset MappableDataset PaddedBatchDataset ProjectDataset RenameDataset RepeatDataset Schema
    ShuffleDataset SkipDataset SourceDataset SyncWaitDataset TakeDataset ZipDataset                          @home
dataset.engine.iterators            = sporax.dataset: DictIterator Iterator TupleIterator
dataset.engine.iterators = sporax.dataset: DictIterator TupleIterator                                        @home
dataset.{samplers,engine.samplers}  = sporax.dataset: BuiltinSampler DistributedSampler IterSampler PKSampler RandomSampler
    Sampler SequentialSampler Shuffle SubsetRandomSampler SubsetSampler WeightedRandomSampler
dataset.engine.samplers = sporax.dataset: BuiltinSampler DistributedSampler IterSampler PKSampler RandomSampler Sampler
    SequentialSampler SubsetRandomSampler SubsetSampler WeightedRandomSampler                                @home
dataset.text.{transforms,utils}     = sporax.dataset.text
dataset.text.utils      = sporax.dataset.text: CharNGram FastText GloVe SentencePieceVocab Vectors Vocab     @home
dataset.text.transforms = sporax._src.data.text.base: TextTensorOperation;
    sporax._src.compat.shims.dataset.transforms.py_transforms_util: Implementation
dataset.text.transforms = sporax.dataset.text: AddToken BasicTokenizer BertTokenizer CaseFold FilterWikipediaXML Lookup
    Ngram NormalizeUTF8 PythonTokenizer RegexReplace RegexTokenizer SentencePieceTokenizer SlidingWindow ToNumber ToVectors
    Truncate TruncateSequencePair UnicodeCharTokenizer UnicodeScriptTokenizer WhitespaceTokenizer WordpieceTokenizer @home
dataset.transforms.{c_transforms,py_transforms,transforms}      = sporax.dataset.transforms
dataset.transforms.transforms   = sporax.dataset.transforms: Compose Concatenate Duplicate Fill Mask OneHot PadEnd
    RandomApply RandomChoice RandomOrder Slice TypeCast Unique                                               @home
dataset.transforms.py_transforms    = sporax._src.compat.older_transforms: Compose OneHotOp
dataset.transforms.vision           = sporax.dataset.vision                                                  @mindspore
dataset.transforms.vision.{c_transforms,py_transforms}  = sporax.dataset.vision.py_transforms                @mindspore
dataset.vision.{c_transforms,py_transforms,transforms,utils}    = sporax.dataset.vision
dataset.vision.py_transforms        = sporax._src.compat.older_transforms: Cutout PilDecode as Decode HWC2CHW Normalize
    NormalizePad RgbToBgr ToTensor ToType
dataset.vision.c_transforms         = sporax._src.compat.older_transforms: ArrayDecode as Decode ArrayRgbToBgr as RgbToBgr
dataset.vision.transforms           = sporax.dataset.transforms: PyTensorOperation
dataset.vision.transforms       = sporax.dataset.vision: AdjustBrightness AdjustContrast AdjustGamma AdjustHue
    AdjustSaturation AdjustSharpness Affine AutoAugment AutoContrast BoundingBoxAugment CenterCrop ConvertColor Crop
    CutMixBatch CutOut Decode Equalize Erase FiveCrop GaussianBlur Grayscale HWC2CHW HorizontalFlip HsvToRgb Invert
    LinearTransformation MixUp MixUpBatch Normalize NormalizePad Pad PadToSize Perspective Posterize RandAugment
    RandomAdjustSharpness RandomAffine RandomAutoContrast RandomColor RandomColorAdjust RandomCrop RandomCropDecodeResize
    RandomCropWithBBox RandomEqualize RandomErasing RandomGrayscale RandomHorizontalFlip RandomHorizontalFlipWithBBox
    RandomInvert RandomLighting RandomPerspective RandomPosterize RandomResize RandomResizeWithBBox RandomResizedCrop
    RandomResizedCropWithBBox RandomRotation RandomSelectSubpolicy RandomSharpness RandomSolarize RandomVerticalFlip
    RandomVerticalFlipWithBBox Rescale Resize ResizeWithBBox ResizedCrop RgbToHsv Rotate SlicePatches Solarize TenCrop
    ToNumpy ToPIL ToTensor ToType TrivialAugmentWide UniformAugment VerticalFlip                             @home
dataset                 = sporax.dataset.utils: LineReader
dataset.utils.browse_dataset        = sporax.dataset.utils: imshow_det_bbox
dataset.utils.line_reader           = sporax.dataset.utils: LineReader
dataset.vision.py_transforms_util       = sporax._src.compat.shims.dataset.transforms.py_transforms_util: Implementation;
    sporax._src.compat.shims.dataset.vision.py_transforms_util
dataset.transforms.py_transforms_util   = sporax._src.compat.shims.dataset.transforms.py_transforms_util: Implementation
dataset.{engine,transforms}.validators  = sporax._src.compat.shims.dataset.transforms.validators;
    sporax._src.compat.shims.dataset.core.validator_helpers
mindrecord.common.exceptions        = sporax.mindrecord: MRMAddSchemaError MRMDefineCategoryError MRMDefineIndexError
    MRMInvalidSchemaError MindRecordException ParamTypeError ParamValueError PathNotExistsError
mindrecord.config       = sporax.mindrecord: set_dec_mode set_enc_key set_enc_mode
mindrecord.shardutils   = sporax.mindrecord: FAILED SUCCESS
mindrecord.tools.cifar10            = sporax._src.data.converters.cifar: Cifar10
mindrecord.tools.cifar100           = sporax._src.data.converters.cifar: Cifar100
mindrecord.tools.{cifar10_to_mr,cifar100_to_mr,csv_to_mr,imagenet_to_mr,mnist_to_mr,tfrecord_to_mr} = sporax.mindrecord:
    Cifar10ToMR Cifar100ToMR CsvToMR ImageNetToMR MnistToMR TFRecordToMR
mindrecord.{filereader,filewriter,mindpage} = sporax.mindrecord: FileReader FileWriter MindPage
"""
