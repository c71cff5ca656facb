"""Datasets of images, as `torchvision.datasets` reads them from their files."""

import gzip
import hashlib
import os
import pickle
import shutil
import urllib.request

import numpy as np
import PIL.Image

import sporax as mindspore
from sporax._src.migrate.helpers.training.datasets import _Dataset
from sporax._src.migrate.helpers.training.pickles import _plain_values


class _VisionDataset(_Dataset):
    """Images with their labels, with a transform for each of the two or one for both."""

    def __init__(self, root=None, transforms=None, transform=None, target_transform=None):
        if transforms is not None and (transform is not None or target_transform is not None):
            raise ValueError("Only transforms or transform/target_transform can be passed as argument")
        self.root = os.path.expanduser(root) if isinstance(root, str) else root
        self.transform, self.target_transform = transform, target_transform
        self.transforms = transforms or self._separately

    def _separately(self, image, target):
        image = image if self.transform is None else self.transform(image)
        return image, target if self.target_transform is None else self.target_transform(target)

    def extra_repr(self):
        return ""

    def __repr__(self):
        name = type(self).__name__.removeprefix("_")
        lines = [f"Dataset {name}", f"Number of datapoints: {len(self)}"]
        lines += [f"Root location: {self.root}"] if self.root is not None else []
        return "\n    ".join([*lines, *self.extra_repr().splitlines()])


class _MNIST(_VisionDataset):
    """Handwritten digits, in four files of `root/MNIST/raw`."""

    mirror = "https://ossci-datasets.s3.amazonaws.com/mnist/"
    classes = [f"{i} - {name}" for i, name in enumerate("zero one two three four five six seven eight nine".split())]

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        names = [f"{part}-{kind}-ubyte" for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")]
        if not all(os.path.isfile(os.path.join(self.raw_folder, name)) for name in names):
            if not download:
                raise RuntimeError("Dataset not found. You can use download=True to download it")
            os.makedirs(self.raw_folder, exist_ok=True)
            for name in names:
                path = os.path.join(self.raw_folder, name)
                urllib.request.urlretrieve(f"{self.mirror}{name}.gz", f"{path}.gz")
                with gzip.open(f"{path}.gz") as packed, open(path, "wb") as file:
                    shutil.copyfileobj(packed, file)
        self._images, self._labels = (self._values(name) for name in names[: 2 if train else None][-2:])

    def _values(self, name):
        """Return the array of a file, whose header has the number of axes and the length of each."""
        with open(os.path.join(self.raw_folder, name), "rb") as file:
            content = file.read()
        shape = np.frombuffer(content, ">i4", content[3], 4)
        return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(shape)

    raw_folder = property(lambda self: os.path.join(self.root, type(self).__name__.removeprefix("_"), "raw"))
    class_to_idx = property(lambda self: {name: i for i, name in enumerate(self.classes)})

    @property
    def data(self):
        return mindspore.Tensor(self._images)

    @data.setter
    def data(self, value):
        self._images = np.asarray(value)

    @property
    def targets(self):
        return mindspore.Tensor(self._labels.astype(np.int64))

    @targets.setter
    def targets(self, value):
        self._labels = np.asarray(value)

    def __getitem__(self, index):
        return self.transforms(PIL.Image.fromarray(self._images[index]), int(self._labels[index]))

    def __len__(self):
        return len(self._images)

    def extra_repr(self):
        return "Split: Train" if self.train else "Split: Test"


class _FashionMNIST(_MNIST):
    """Images of clothing, in files of MNIST's format."""

    mirror = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
    classes = "T-shirt/top,Trouser,Pullover,Dress,Coat,Sandal,Shirt,Sneaker,Bag,Ankle boot".split(",")


class _KMNIST(_MNIST):
    """Japanese letters, in files of MNIST's format."""

    mirror = "http://codh.rois.ac.jp/kmnist/dataset/kmnist/"
    classes = "o ki su tsu na ha ma ya re wo".split()


class _CIFAR10(_VisionDataset):
    """Small photographs of ten kinds of things, in files of `root/cifar-10-batches-py`."""

    base_folder = "cifar-10-batches-py"
    url = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
    tgz_md5 = "c58f30108f718f92721af3b95e74349a"
    _files = ([f"data_batch_{i}" for i in range(1, 6)], ["test_batch"])
    _meta, _names, _target = "batches.meta", "label_names", "labels"

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        wanted = [*self._files[0], *self._files[1], self._meta]
        if not all(os.path.isfile(os.path.join(self.root, self.base_folder, name)) for name in wanted):
            if not download:
                raise RuntimeError("Dataset not found or corrupted. You can use download=True to download it")
            os.makedirs(self.root, exist_ok=True)
            archive = os.path.join(self.root, os.path.basename(self.url))
            urllib.request.urlretrieve(self.url, archive)
            with open(archive, "rb") as file:
                if hashlib.file_digest(file, "md5").hexdigest() != self.tgz_md5:
                    raise RuntimeError("File not found or corrupted.")
            shutil.unpack_archive(archive, self.root)
        batches = [self._entries(name) for name in self._files[0 if train else 1]]
        images = np.vstack([batch["data"] for batch in batches]).reshape(-1, 3, 32, 32)
        self.data = images.transpose(0, 2, 3, 1)
        self.targets = [label for batch in batches for label in batch[self._target]]
        self.classes = self._entries(self._meta)[self._names]
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}

    def _entries(self, name):
        path = os.path.join(self.root, self.base_folder, name)
        with open(path, "rb") as file:
            try:
                return _plain_values(file, "latin1")
            except pickle.UnpicklingError as error:
                raise RuntimeError(
                    f"{path} is not a file of the data set: {error}. Remove it, and download the data set again."
                ) from None

    def __getitem__(self, index):
        return self.transforms(PIL.Image.fromarray(self.data[index]), self.targets[index])

    def __len__(self):
        return len(self.data)

    def extra_repr(self):
        return "Split: Train" if self.train else "Split: Test"


class _CIFAR100(_CIFAR10):
    """Small photographs of a hundred kinds of things, in files of `root/cifar-100-python`."""

    base_folder = "cifar-100-python"
    url = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"
    tgz_md5 = "eb9058c3a382ffc7106e4002c42a8d85"
    _files = (["train"], ["test"])
    _meta, _names, _target = "meta", "fine_label_names", "fine_labels"


def _pil_loader(path):
    """Return the image of a file in RGB."""
    with open(path, "rb") as file:
        return PIL.Image.open(file).convert("RGB")


class _DatasetFolder(_VisionDataset):
    """Files in a folder for each class."""

    def __init__(
        self,
        root,
        loader,
        extensions=None,
        transform=None,
        target_transform=None,
        is_valid_file=None,
        allow_empty=False,
    ):
        super().__init__(root, transform=transform, target_transform=target_transform)
        if (extensions is None) == (is_valid_file is None):
            raise ValueError("Both extensions and is_valid_file cannot be None or not None at the same time")
        self.classes, self.class_to_idx = self.find_classes(self.root)
        endings = (extensions,) if isinstance(extensions, str) else tuple(extensions or ())
        fits = is_valid_file or (lambda path: path.lower().endswith(endings))
        self.samples = []
        for name in sorted(self.class_to_idx):
            samples = [
                (os.path.join(folder, file), self.class_to_idx[name])
                for folder, _, files in sorted(os.walk(os.path.join(self.root, name), followlinks=True))
                for file in sorted(files)
                if fits(os.path.join(folder, file))
            ]
            if not samples and not allow_empty:
                more = f"Supported extensions are: {', '.join(endings)}" if endings else ""
                raise FileNotFoundError(f"Found no valid file for the classes {name}. {more}")
            self.samples += samples
        self.loader, self.extensions = loader, extensions
        self.targets = [target for _, target in self.samples]

    def find_classes(self, directory):
        classes = sorted(entry.name for entry in os.scandir(directory) if entry.is_dir())
        if not classes:
            raise FileNotFoundError(f"Couldn't find any class folder in {directory}.")
        return classes, {name: i for i, name in enumerate(classes)}

    def __getitem__(self, index):
        path, target = self.samples[index]
        return self.transforms(self.loader(path), target)

    def __len__(self):
        return len(self.samples)


class _ImageFolder(_DatasetFolder):
    """Images in a folder for each class."""

    def __init__(
        self,
        root,
        transform=None,
        target_transform=None,
        loader=_pil_loader,
        is_valid_file=None,
        allow_empty=False,
    ):
        endings = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")
        endings = endings if is_valid_file is None else None
        super().__init__(root, loader, endings, transform, target_transform, is_valid_file, allow_empty)
        self.imgs = self.samples


class _FakeData(_VisionDataset):
    """Images of noise, the same in each run."""

    def __init__(
        self,
        size=1000,
        image_size=(3, 224, 224),
        num_classes=10,
        transform=None,
        target_transform=None,
        random_offset=0,
    ):
        super().__init__(transform=transform, target_transform=target_transform)
        self.size, self.num_classes, self.image_size, self.random_offset = size, num_classes, image_size, random_offset

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(f"{type(self).__name__.removeprefix('_')} index out of range")
        state = np.random.RandomState(index + self.random_offset)
        image = (state.standard_normal(self.image_size) * 255).astype(np.int64).astype(np.uint8)
        image = PIL.Image.fromarray(image.transpose(1, 2, 0).squeeze())
        return self.transforms(image, int(state.randint(self.num_classes)))

    def __len__(self):
        return self.size
