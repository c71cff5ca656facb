"""Classes that programs print: each names MindSpore's module of it while the name `mindspore` is served."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

# Of each module of MindSpore, as far as 2.7.0 prints it: where the classes are in sporax, and their names.
SHOWN = {
    "common.tensor": ("", "Tensor"),
    "common.parameter": ("", "Parameter ParameterTuple"),
    "common.sparse_tensor": ("", "COOTensor CSRTensor RowTensor"),
    "common.initializer": (
        "common.initializer",
        "Constant Dirac HeNormal HeUniform Identity Initializer Normal One Orthogonal Sparse "
        "TruncatedNormal Uniform VarianceScaling XavierNormal XavierUniform Zero",
    ),
    "dataset.engine.datasets": (
        "dataset",
        "BatchDataset BatchInfo BucketBatchByLengthDataset ConcatDataset Dataset FilterDataset MapDataset "
        "MappableDataset PaddedBatchDataset ProjectDataset RenameDataset RepeatDataset Schema "
        "ShuffleDataset SkipDataset SourceDataset SyncWaitDataset TakeDataset VisionBaseDataset ZipDataset",
    ),
    "dataset.engine.datasets_user_defined": ("dataset", "GeneratorDataset NumpySlicesDataset PaddedDataset"),
    "dataset.engine.datasets_standard_format": ("dataset", "CSVDataset MindDataset TFRecordDataset"),
    "dataset.engine.datasets_vision": (
        "dataset",
        "Caltech101Dataset Caltech256Dataset CelebADataset Cifar100Dataset Cifar10Dataset CityscapesDataset "
        "CocoDataset DIV2KDataset EMnistDataset FakeImageDataset FashionMnistDataset FlickrDataset "
        "Flowers102Dataset Food101Dataset ImageFolderDataset KITTIDataset KMnistDataset LFWDataset "
        "LSUNDataset ManifestDataset MnistDataset OmniglotDataset PhotoTourDataset Places365Dataset "
        "QMnistDataset RandomDataset RenderedSST2Dataset SBDataset SBUDataset STL10Dataset SUN397Dataset "
        "SVHNDataset SemeionDataset USPSDataset VOCDataset WIDERFaceDataset",
    ),
    "dataset.engine.datasets_text": (
        "dataset",
        "AGNewsDataset AmazonReviewDataset CLUEDataset CoNLL2000Dataset DBpediaDataset EnWik9Dataset "
        "IMDBDataset IWSLT2016Dataset IWSLT2017Dataset Multi30kDataset PennTreebankDataset SQuADDataset "
        "SST2Dataset SogouNewsDataset TextFileDataset UDPOSDataset WikiTextDataset YahooAnswersDataset "
        "YelpReviewDataset",
    ),
    "dataset.engine.datasets_audio": (
        "dataset",
        "CMUArcticDataset GTZANDataset LJSpeechDataset LibriTTSDataset SpeechCommandsDataset TedliumDataset "
        "YesNoDataset",
    ),
    "dataset.engine.iterators": ("dataset", "DictIterator TupleIterator"),
    "dataset.engine.samplers": (
        "dataset",
        "BuiltinSampler DistributedSampler IterSampler PKSampler RandomSampler Sampler SequentialSampler "
        "SubsetRandomSampler SubsetSampler WeightedRandomSampler",
    ),
    "amp": ("amp", "DynamicLossScaler LossScaler StaticLossScaler"),
    "dataset.audio.transforms": (
        "dataset.audio",
        "AllpassBiquad AmplitudeToDB Angle BandBiquad BandpassBiquad BandrejectBiquad BassBiquad Biquad "
        "ComplexNorm ComputeDeltas Contrast DBToAmplitude DCShift DeemphBiquad DetectPitchFrequency Dither "
        "EqualizerBiquad Fade Filtfilt Flanger FrequencyMasking Gain GriffinLim HighpassBiquad "
        "InverseMelScale InverseSpectrogram LFCC LFilter LowpassBiquad MFCC Magphase MaskAlongAxis "
        "MaskAlongAxisIID MelScale MelSpectrogram MuLawDecoding MuLawEncoding Overdrive PhaseVocoder Phaser "
        "PitchShift Resample RiaaBiquad SlidingWindowCmn SpectralCentroid Spectrogram TimeMasking TimeStretch "
        "TrebleBiquad Vad Vol",
    ),
    "dataset.text.transforms": (
        "dataset.text",
        "AddToken BasicTokenizer BertTokenizer CaseFold FilterWikipediaXML Lookup Ngram NormalizeUTF8 "
        "PythonTokenizer RegexReplace RegexTokenizer SentencePieceTokenizer SlidingWindow ToNumber ToVectors "
        "Truncate TruncateSequencePair UnicodeCharTokenizer UnicodeScriptTokenizer WhitespaceTokenizer "
        "WordpieceTokenizer",
    ),
    "dataset.text.utils": ("dataset.text", "CharNGram FastText GloVe SentencePieceVocab Vectors Vocab"),
    "dataset.transforms.transforms": (
        "dataset.transforms",
        "Compose Concatenate Duplicate Fill Mask OneHot PadEnd RandomApply RandomChoice RandomOrder "
        "Slice TypeCast Unique",
    ),
    "dataset.vision.transforms": (
        "dataset.vision",
        "AdjustBrightness AdjustContrast AdjustGamma AdjustHue AdjustSaturation AdjustSharpness Affine "
        "AutoAugment AutoContrast BoundingBoxAugment CenterCrop ConvertColor Crop CutMixBatch CutOut Decode "
        "Equalize Erase FiveCrop GaussianBlur Grayscale HWC2CHW HorizontalFlip HsvToRgb Invert "
        "LinearTransformation MixUp MixUpBatch Normalize NormalizePad Pad PadToSize Perspective Posterize "
        "RandAugment RandomAdjustSharpness RandomAffine RandomAutoContrast RandomColor RandomColorAdjust "
        "RandomCrop RandomCropDecodeResize RandomCropWithBBox RandomEqualize RandomErasing RandomGrayscale "
        "RandomHorizontalFlip RandomHorizontalFlipWithBBox RandomInvert RandomLighting RandomPerspective "
        "RandomPosterize RandomResize RandomResizeWithBBox RandomResizedCrop RandomResizedCropWithBBox "
        "RandomRotation RandomSelectSubpolicy RandomSharpness RandomSolarize RandomVerticalFlip "
        "RandomVerticalFlipWithBBox Rescale Resize ResizeWithBBox ResizedCrop RgbToHsv Rotate SlicePatches "
        "Solarize TenCrop ToNumpy ToPIL ToTensor ToType TrivialAugmentWide UniformAugment VerticalFlip",
    ),
    "nn.cell": ("nn", "Cell GraphCell"),
    "nn.grad.cell_grad": ("nn", "Jvp Vjp"),
    "nn.layer.activation": (
        "nn",
        "CELU ELU FastGelu GELU GLU HShrink HSigmoid HSwish Hardtanh LRN LeakyReLU LogSigmoid LogSoftmax "
        "LogSoftmaxExt Mish PReLU PReLUExt RReLU ReLU ReLU6 SeLU SiLU Sigmoid SoftShrink Softmax Softmax2d "
        "Softmin Softsign Tanh Tanhshrink Threshold",
    ),
    "nn.layer.basic": (
        "nn",
        "ClipByNorm Dense Dropout Dropout1d Dropout2d Dropout3d DropoutExt Flatten Identity L1Regularizer "
        "Linear MatrixDiag MatrixDiagPart MatrixSetDiag Norm OneHot Pad Roll Tril Triu Unflatten Unfold "
        "Upsample",
    ),
    "nn.layer.channel_shuffle": ("nn", "ChannelShuffle"),
    "nn.layer.combined": ("nn", "Conv2dBnAct DenseBnAct"),
    "nn.layer.container": ("nn", "CellDict CellList SequentialCell"),
    "nn.layer.conv": ("nn", "Conv1d Conv1dTranspose Conv2d Conv2dTranspose Conv3d Conv3dTranspose"),
    "nn.layer.dense": ("nn", "BiDense"),
    "nn.layer.embedding": ("nn", "Embedding EmbeddingExt EmbeddingLookup MultiFieldEmbeddingLookup"),
    "nn.layer.image": ("nn", "CentralCrop ImageGradients MSSSIM PSNR PixelShuffle PixelUnshuffle SSIM"),
    "nn.layer.math": ("nn", "DiGamma IGamma LBeta LGamma MatDet MatInverse MatMul Moments Range ReduceLogSumExp"),
    "nn.layer.normalization": (
        "nn",
        "BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm "
        "LayerNormExt SyncBatchNorm",
    ),
    "nn.layer.padding": (
        "nn",
        "ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d "
        "ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad2d",
    ),
    "nn.layer.pooling": (
        "nn",
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
        "AdaptiveMaxPool3d AvgPool1d AvgPool1dExt AvgPool2d AvgPool2dExt AvgPool3d AvgPool3dExt "
        "FractionalMaxPool2d FractionalMaxPool3d LPPool1d LPPool2d MaxPool1d MaxPool2d MaxPool2dExt MaxPool3d "
        "MaxUnpool1d MaxUnpool2d MaxUnpool3d",
    ),
    "nn.layer.rnn_cells": ("nn", "GRUCell LSTMCell RNNCell"),
    "nn.layer.rnns": ("nn", "GRU LSTM RNN"),
    "nn.layer.thor_layer": ("nn", "Conv2dThor DenseThor EmbeddingLookupThor EmbeddingThor"),
    "nn.layer.timedistributed": ("nn", "TimeDistributed"),
    "nn.layer.transformer": (
        "nn",
        "MultiheadAttention Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder "
        "TransformerEncoderLayer",
    ),
    "nn.learning_rate_schedule": (
        "nn",
        "CosineDecayLR ExponentialDecayLR InverseDecayLR NaturalExpDecayLR PolynomialDecayLR WarmUpLR",
    ),
    "nn.loss.loss": (
        "nn",
        "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss DiceLoss FocalLoss "
        "GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss L1LossExt LossBase MAELoss MSELoss "
        "MarginRankingLoss MultiClassDiceLoss MultiLabelSoftMarginLoss MultiMarginLoss MultilabelMarginLoss "
        "NLLLoss PoissonNLLLoss RMSELoss SampledSoftmaxLoss SmoothL1Loss SoftMarginLoss "
        "SoftmaxCrossEntropyWithLogits TripletMarginLoss TripletMarginWithDistanceLoss",
    ),
    "nn.optim.ada_grad": ("nn", "Adagrad"),
    "nn.optim.adadelta": ("nn", "Adadelta"),
    "nn.optim.adafactor": ("nn", "AdaFactor"),
    "nn.optim.adam": ("nn", "Adam AdamOffload AdamWeightDecay"),
    "nn.optim.adamax": ("nn", "AdaMax"),
    "nn.optim.asgd": ("nn", "ASGD"),
    "nn.optim.ftrl": ("nn", "FTRL"),
    "nn.optim.lamb": ("nn", "Lamb"),
    "nn.optim.lars": ("nn", "LARS"),
    "nn.optim.lazyadam": ("nn", "LazyAdam"),
    "nn.optim.momentum": ("nn", "Momentum"),
    "nn.optim.optimizer": ("nn", "Optimizer"),
    "nn.optim.proximal_ada_grad": ("nn", "ProximalAdagrad"),
    "nn.optim.rmsprop": ("nn", "RMSProp"),
    "nn.optim.rprop": ("nn", "Rprop"),
    "nn.optim.sgd": ("nn", "SGD"),
    "nn.reinforcement.tensor_array": ("nn", "TensorArray"),
    "nn.sparse.sparse": ("nn", "SparseTensorDenseMatmul SparseToDense"),
    "nn.wrap.cell_wrapper": (
        "nn",
        "ForwardValueAndGrad ParameterUpdate TrainOneStepCell WithEvalCell WithGradCell WithLossCell",
    ),
    "nn.wrap.grad_reducer": ("nn", "DistributedGradReducer"),
    "nn.wrap.loss_scale": ("nn", "DynamicLossScaleUpdateCell FixedLossScaleUpdateCell TrainOneStepWithLossScaleCell"),
    "train.loss_scale_manager": ("amp", "DynamicLossScaleManager FixedLossScaleManager LossScaleManager"),
    "train.callback._backup_and_restore": ("train", "BackupAndRestore"),
    "train.callback._callback": ("train", "Callback RunContext"),
    "train.callback._checkpoint": ("train", "CheckpointConfig ModelCheckpoint"),
    "train.callback._early_stop": ("train", "EarlyStopping"),
    "train.callback._flops_collector": ("train", "FlopsUtilizationCollector"),
    "train.callback._history": ("train", "History"),
    "train.callback._lambda_callback": ("train", "LambdaCallback"),
    "train.callback._landscape": ("train", "SummaryLandscape"),
    "train.callback._loss_monitor": ("train", "LossMonitor"),
    "train.callback._lr_scheduler_callback": ("train", "LearningRateScheduler"),
    "train.callback._on_request_exit": ("train", "OnRequestExit"),
    "train.callback._reduce_lr_on_plateau": ("train", "ReduceLROnPlateau"),
    "train.callback._summary_collector": ("train", "SummaryCollector"),
    "train.callback._time_monitor": ("train", "TimeMonitor"),
    "train.dataset_helper": ("train", "DatasetHelper"),
    "train.metrics.accuracy": ("train", "Accuracy"),
    "train.metrics.bleu_score": ("train", "BleuScore"),
    "train.metrics.confusion_matrix": ("train", "ConfusionMatrix ConfusionMatrixMetric"),
    "train.metrics.cosine_similarity": ("train", "CosineSimilarity"),
    "train.metrics.dice": ("train", "Dice"),
    "train.metrics.error": ("train", "MAE MSE"),
    "train.metrics.fbeta": ("train", "F1 Fbeta"),
    "train.metrics.hausdorff_distance": ("train", "HausdorffDistance"),
    "train.metrics.loss": ("train", "Loss"),
    "train.metrics.mean_surface_distance": ("train", "MeanSurfaceDistance"),
    "train.metrics.metric": ("train", "Metric"),
    "train.metrics.occlusion_sensitivity": ("train", "OcclusionSensitivity"),
    "train.metrics.perplexity": ("train", "Perplexity"),
    "train.metrics.precision": ("train", "Precision"),
    "train.metrics.recall": ("train", "Recall"),
    "train.metrics.roc": ("train", "ROC"),
    "train.metrics.root_mean_square_surface_distance": ("train", "RootMeanSquareDistance"),
    "train.metrics.topk": ("train", "Top1CategoricalAccuracy Top5CategoricalAccuracy TopKCategoricalAccuracy"),
    "train.model": ("train", "Model"),
    "train.summary.summary_record": ("train", "SummaryRecord"),
    "train.train_thor.convert_utils": ("train", "ConvertModelUtils ConvertNetUtils"),
}


def classes() -> Iterator[tuple[type, str, str]]:
    """Give each class with the module it names while `mindspore` is served, and the one it names else."""
    for path, (home, names) in SHOWN.items():
        package = importlib.import_module(f"sporax.{home}".strip("."))
        for name in names.split():
            yield getattr(package, name), f"mindspore.{path}", package.__name__
