"""Operations on images for `Dataset.map`: arrays of ``(H, W, C)`` or Pillow images.

Reading order: `enums`, `arguments` (checks that operations share), `image` (the base, and Pillow's side), `files`; `types`,
`opencv` (the kernels that the operations call), `plain`, `resample`, `warp` (their NumPy forms); `normalize`, `pointwise`,
`color`, `color_jitter`, `convert` (values); `geometry`, `crops`, `random_geometry`, `affine`, `blur` (pixels that move or
mix); `erase`, `mix`, `boxes`, `policies` (augmentation made of the rest); `byte_tables` (operations done at once); `video`.

An operation stands in the `__all__` of its file; a new file is a line here.

Written by `python tools/stubs.py`.
"""

from sporax._src.data.vision.affine import Affine as Affine
from sporax._src.data.vision.affine import Perspective as Perspective
from sporax._src.data.vision.affine import RandomAffine as RandomAffine
from sporax._src.data.vision.affine import RandomPerspective as RandomPerspective
from sporax._src.data.vision.affine import Rotate as Rotate
from sporax._src.data.vision.blur import GaussianBlur as GaussianBlur
from sporax._src.data.vision.boxes import BoundingBoxAugment as BoundingBoxAugment
from sporax._src.data.vision.boxes import RandomCropWithBBox as RandomCropWithBBox
from sporax._src.data.vision.boxes import RandomHorizontalFlipWithBBox as RandomHorizontalFlipWithBBox
from sporax._src.data.vision.boxes import RandomResizeWithBBox as RandomResizeWithBBox
from sporax._src.data.vision.boxes import RandomResizedCropWithBBox as RandomResizedCropWithBBox
from sporax._src.data.vision.boxes import RandomVerticalFlipWithBBox as RandomVerticalFlipWithBBox
from sporax._src.data.vision.boxes import ResizeWithBBox as ResizeWithBBox
from sporax._src.data.vision.color import Grayscale as Grayscale
from sporax._src.data.vision.color import Invert as Invert
from sporax._src.data.vision.color import RandomGrayscale as RandomGrayscale
from sporax._src.data.vision.color_jitter import AdjustBrightness as AdjustBrightness
from sporax._src.data.vision.color_jitter import AdjustContrast as AdjustContrast
from sporax._src.data.vision.color_jitter import AdjustHue as AdjustHue
from sporax._src.data.vision.color_jitter import AdjustSaturation as AdjustSaturation
from sporax._src.data.vision.color_jitter import AdjustSharpness as AdjustSharpness
from sporax._src.data.vision.color_jitter import RandomAdjustSharpness as RandomAdjustSharpness
from sporax._src.data.vision.color_jitter import RandomColor as RandomColor
from sporax._src.data.vision.color_jitter import RandomColorAdjust as RandomColorAdjust
from sporax._src.data.vision.color_jitter import RandomLighting as RandomLighting
from sporax._src.data.vision.color_jitter import RandomSharpness as RandomSharpness
from sporax._src.data.vision.convert import ConvertColor as ConvertColor
from sporax._src.data.vision.convert import HsvToRgb as HsvToRgb
from sporax._src.data.vision.convert import LinearTransformation as LinearTransformation
from sporax._src.data.vision.convert import RgbToHsv as RgbToHsv
from sporax._src.data.vision.crops import FiveCrop as FiveCrop
from sporax._src.data.vision.crops import PadToSize as PadToSize
from sporax._src.data.vision.crops import ResizedCrop as ResizedCrop
from sporax._src.data.vision.crops import SlicePatches as SlicePatches
from sporax._src.data.vision.crops import TenCrop as TenCrop
from sporax._src.data.vision.enums import AutoAugmentPolicy as AutoAugmentPolicy
from sporax._src.data.vision.enums import Border as Border
from sporax._src.data.vision.enums import ConvertMode as ConvertMode
from sporax._src.data.vision.enums import ImageBatchFormat as ImageBatchFormat
from sporax._src.data.vision.enums import ImageReadMode as ImageReadMode
from sporax._src.data.vision.enums import Inter as Inter
from sporax._src.data.vision.enums import SliceMode as SliceMode
from sporax._src.data.vision.erase import CutOut as CutOut
from sporax._src.data.vision.erase import Erase as Erase
from sporax._src.data.vision.erase import RandomErasing as RandomErasing
from sporax._src.data.vision.files import encode_jpeg as encode_jpeg
from sporax._src.data.vision.files import encode_png as encode_png
from sporax._src.data.vision.files import get_image_num_channels as get_image_num_channels
from sporax._src.data.vision.files import get_image_size as get_image_size
from sporax._src.data.vision.files import read_file as read_file
from sporax._src.data.vision.files import read_image as read_image
from sporax._src.data.vision.files import write_file as write_file
from sporax._src.data.vision.files import write_jpeg as write_jpeg
from sporax._src.data.vision.files import write_png as write_png
from sporax._src.data.vision.geometry import CenterCrop as CenterCrop
from sporax._src.data.vision.geometry import Crop as Crop
from sporax._src.data.vision.geometry import HorizontalFlip as HorizontalFlip
from sporax._src.data.vision.geometry import Pad as Pad
from sporax._src.data.vision.geometry import Resize as Resize
from sporax._src.data.vision.geometry import VerticalFlip as VerticalFlip
from sporax._src.data.vision.mix import CutMixBatch as CutMixBatch
from sporax._src.data.vision.mix import MixUp as MixUp
from sporax._src.data.vision.mix import MixUpBatch as MixUpBatch
from sporax._src.data.vision.normalize import HWC2CHW as HWC2CHW
from sporax._src.data.vision.normalize import Normalize as Normalize
from sporax._src.data.vision.normalize import NormalizePad as NormalizePad
from sporax._src.data.vision.normalize import Rescale as Rescale
from sporax._src.data.vision.pointwise import AdjustGamma as AdjustGamma
from sporax._src.data.vision.pointwise import AutoContrast as AutoContrast
from sporax._src.data.vision.pointwise import Equalize as Equalize
from sporax._src.data.vision.pointwise import Posterize as Posterize
from sporax._src.data.vision.pointwise import RandomAutoContrast as RandomAutoContrast
from sporax._src.data.vision.pointwise import RandomEqualize as RandomEqualize
from sporax._src.data.vision.pointwise import RandomInvert as RandomInvert
from sporax._src.data.vision.pointwise import RandomPosterize as RandomPosterize
from sporax._src.data.vision.pointwise import RandomSolarize as RandomSolarize
from sporax._src.data.vision.pointwise import Solarize as Solarize
from sporax._src.data.vision.policies import AutoAugment as AutoAugment
from sporax._src.data.vision.policies import RandAugment as RandAugment
from sporax._src.data.vision.policies import RandomSelectSubpolicy as RandomSelectSubpolicy
from sporax._src.data.vision.policies import TrivialAugmentWide as TrivialAugmentWide
from sporax._src.data.vision.policies import UniformAugment as UniformAugment
from sporax._src.data.vision.random_geometry import RandomCrop as RandomCrop
from sporax._src.data.vision.random_geometry import RandomCropDecodeResize as RandomCropDecodeResize
from sporax._src.data.vision.random_geometry import RandomHorizontalFlip as RandomHorizontalFlip
from sporax._src.data.vision.random_geometry import RandomResize as RandomResize
from sporax._src.data.vision.random_geometry import RandomResizedCrop as RandomResizedCrop
from sporax._src.data.vision.random_geometry import RandomRotation as RandomRotation
from sporax._src.data.vision.random_geometry import RandomVerticalFlip as RandomVerticalFlip
from sporax._src.data.vision.types import Decode as Decode
from sporax._src.data.vision.types import ToNumpy as ToNumpy
from sporax._src.data.vision.types import ToPIL as ToPIL
from sporax._src.data.vision.types import ToTensor as ToTensor
from sporax._src.data.vision.types import ToType as ToType
from sporax._src.data.vision.video import DecodeVideo as DecodeVideo
from sporax._src.data.vision.video import VideoDecoder as VideoDecoder
from sporax._src.data.vision.video import read_video as read_video
from sporax._src.data.vision.video import read_video_timestamps as read_video_timestamps

__all__ = ['AdjustBrightness', 'AdjustContrast', 'AdjustGamma', 'AdjustHue', 'AdjustSaturation', 'AdjustSharpness', 'Affine', 'AutoAugment', 'AutoAugmentPolicy', 'AutoContrast', 'Border', 'BoundingBoxAugment', 'CenterCrop', 'ConvertColor', 'ConvertMode', 'Crop', 'CutMixBatch', 'CutOut', 'Decode', 'DecodeVideo', 'Equalize', 'Erase', 'FiveCrop', 'GaussianBlur', 'Grayscale', 'HWC2CHW', 'HorizontalFlip', 'HsvToRgb', 'ImageBatchFormat', 'ImageReadMode', 'Inter', 'Invert', 'LinearTransformation', 'MixUp', 'MixUpBatch', 'Normalize', 'NormalizePad', 'Pad', 'PadToSize', 'Perspective', 'Posterize', 'RandAugment', 'RandomAdjustSharpness', 'RandomAffine', 'RandomAutoContrast', 'RandomColor', 'RandomColorAdjust', 'RandomCrop', 'RandomCropDecodeResize', 'RandomCropWithBBox', 'RandomEqualize', 'RandomErasing', 'RandomGrayscale', 'RandomHorizontalFlip', 'RandomHorizontalFlipWithBBox', 'RandomInvert', 'RandomLighting', 'RandomPerspective', 'RandomPosterize', 'RandomResize', 'RandomResizeWithBBox', 'RandomResizedCrop', 'RandomResizedCropWithBBox', 'RandomRotation', 'RandomSelectSubpolicy', 'RandomSharpness', 'RandomSolarize', 'RandomVerticalFlip', 'RandomVerticalFlipWithBBox', 'Rescale', 'Resize', 'ResizeWithBBox', 'ResizedCrop', 'RgbToHsv', 'Rotate', 'SliceMode', 'SlicePatches', 'Solarize', 'TenCrop', 'ToNumpy', 'ToPIL', 'ToTensor', 'ToType', 'TrivialAugmentWide', 'UniformAugment', 'VerticalFlip', 'VideoDecoder', 'encode_jpeg', 'encode_png', 'get_image_num_channels', 'get_image_size', 'read_file', 'read_image', 'read_video', 'read_video_timestamps', 'write_file', 'write_jpeg', 'write_png']
