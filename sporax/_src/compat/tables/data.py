"""Import paths: `dataset` and `mindrecord`."""

TABLE = """
dataset.audio.{transforms,utils}    = sporax.dataset.audio
dataset.audio.transforms            = sporax._src.data.audio.base: AudioTensorOperation
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
dataset.engine.datasets = sporax.dataset; sporax._src.compat.shims.dataset.engine.datasets: _set_training_dataset
dataset.engine.iterators            = sporax.dataset: DictIterator Iterator TupleIterator
dataset.{samplers,engine.samplers}  = sporax.dataset: BuiltinSampler DistributedSampler IterSampler PKSampler RandomSampler
    Sampler SequentialSampler Shuffle SubsetRandomSampler SubsetSampler WeightedRandomSampler
dataset.text.{transforms,utils}     = sporax.dataset.text
dataset.text.transforms = sporax._src.data.text.base: TextTensorOperation;
    sporax._src.compat.shims.dataset.transforms.py_transforms_util: Implementation
dataset.transforms.{c_transforms,py_transforms,transforms}      = sporax.dataset.transforms
dataset.transforms.py_transforms    = sporax._src.compat.older_transforms: Compose OneHotOp
dataset.transforms.vision           = sporax.dataset.vision                                                  @mindspore
dataset.transforms.vision.{c_transforms,py_transforms}  = sporax.dataset.vision.py_transforms                @mindspore
dataset.vision.{c_transforms,py_transforms,transforms,utils}    = sporax.dataset.vision
dataset.vision.py_transforms        = sporax._src.compat.older_transforms: Cutout PilDecode as Decode HWC2CHW Normalize
    NormalizePad RgbToBgr ToTensor ToType
dataset.vision.c_transforms         = sporax._src.compat.older_transforms: ArrayDecode as Decode ArrayRgbToBgr as RgbToBgr
dataset.vision.transforms           = sporax.dataset.transforms: PyTensorOperation
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
