"""Small copies of data sets of pictures with one label, or one text, for each."""

import json

import numpy as np

from dataset_files.common import Case, folder, matrices, picture, raw, text, variants


def write() -> None:
    """Write them into the working folder."""
    for number, name in enumerate(("Faces", "BACKGROUND_Google", "ant", "airplanes")):
        for k in (1, 2):
            picture(f"caltech101/101_ObjectCategories/{name}/image_000{k}.jpg", 2 * number + k)
            shown = {"Faces": "Faces_2", "airplanes": "Airplanes_Side_2"}.get(name, name)
            contour = np.random.RandomState(number + k).uniform(0, 9, (2, 3 + k))
            matrices(f"caltech101/Annotations/{shown}/annotation_000{k}.mat", {"obj_contour": contour})
    for number, name in enumerate(("001.ak47", "002.flag", "003.backpack")):
        for k in range(1 + number):
            picture(f"caltech256/{name}/{name[:3]}_000{k}.jpg", 3 * number + k)
    for name in ("pie", "apple_pie", "soup"):
        for k in range(2):
            picture(f"food101/images/{name}/{k}.jpg", len(name) + k)
    text("food101/meta/train.txt", "soup/0", "apple_pie/1", "pie/0")
    text("food101/meta/test.txt", "apple_pie/0", "soup/1")
    for k in range(1, 7):
        picture(f"flowers102/jpg/image_0000{k}.jpg", k)
        picture(f"flowers102/segmim/segmim_0000{k}.jpg", 10 + k)
    matrices("flowers102/imagelabels.mat", {"labels": np.array([[5, 102, 1, 7, 5, 9]], np.uint8)})
    parts = {"trnid": [[2, 5]], "tstid": [[6, 1, 3]], "valid": [[4]]}
    matrices("flowers102/setid.mat", {name: np.array(ids, np.uint16) for name, ids in parts.items()})
    for name in ("bedroom_train", "bedroom_val", "classroom_train", "classroom_val", "tower_val", "test"):
        for k in range(2):
            picture(f"lsun/{name}/{k}.jpg", 5 * len(name) + k)
    for part in ("images_background", "images_evaluation"):
        for number, name in enumerate(("Greek/character01", "Greek/character02", "Latin/character01")):
            for k in range(1 + (number == 1)):
                picture(f"omniglot/{part}/{name}/0{k}.png", len(part) + 3 * number + k)
    text("places365/categories_places365.txt", "/a/airfield 0", "/b/bar 1")
    names = ("/a/airfield/1.jpg", "/b/bar/2.jpg", "/a/airfield/3.jpg")
    for where, listed in (("data_256_standard", "train_standard"), ("data_256_challenge", "train_challenge")):
        for k, name in enumerate(names):
            picture(f"places365/{where}{name}", len(where) + k)
        text(f"places365/places365_{listed}.txt", *(f"{name} {int('bar' in name)}" for name in names))
    for k, name in enumerate(names):
        picture(f"places365/data_large_standard{name}", 77 + k)
    for k in range(2):
        picture(f"places365/val_256/Places365_val_0{k}.jpg", 50 + k)
    text("places365/places365_val.txt", *(f"Places365_val_0{k}.jpg {k}" for k in range(2)))
    for part in ("train", "test", "valid"):
        for number, kind in enumerate(("negative", "positive")):
            for k in range(2):
                picture(f"rendered_sst2/{part}/{kind}/{k}.png", 7 * len(part) + 2 * number + k)
    text("sun397/ClassName.txt", "/a/abbey", "/b/bar/inside", "/a/attic")
    for k, name in enumerate(("a/abbey/sun_b", "a/abbey/sun_a", "b/bar/inside/sun_c", "a/attic/sun_d", "a/abbey/moon")):
        picture(f"sun397/{name}.jpg", k)
    _manifest()
    _faces()
    _patches()
    for k in range(2):
        picture(f"flickr/images/b{k}.jpg", k)
    lines = [f"b{k}.jpg#{n}\tCaption {n} of \\*{k} ." for k in (1, 0) for n in range(5)]
    text("flickr/all.token", *lines[:5], "", *lines[5:])
    text("flickr/missing.token", "none.jpg#0\tNothing")
    for k in (0, 1, 3):
        picture(f"sbu/sbu_images/4001_12{k}_a.jpg", k)
    text("sbu/SBU_captioned_photo_dataset_urls.txt", *(f"http://static.flickr.com/4001/12{k}_a.jpg" for k in range(4)))
    text("sbu/SBU_captioned_photo_dataset_captions.txt", *(f" Caption {k}.  " for k in range(4)))
    folder("empty")


def _manifest() -> None:
    for k in range(4):
        picture(f"manifest/{k}.jpg", k)
    raw("manifest/note.txt", b"no image")
    rows = [("0.jpg", "TRAIN", ["dog"]), ("1.jpg", "train", ["cat"]), ("2.jpg", "EVAL", ["ant"]),
            ("3.jpg", "train", ["cat", "ant"]), ("note.txt", "train", ["cat"])]  # fmt: skip
    lines = [{"source": f"manifest/{name}", "usage": usage, "id": "1", "annotation": [{"name": n} for n in names]}
             for name, usage, names in rows]  # fmt: skip
    text("manifest/all.manifest", *map(json.dumps, lines))
    text("manifest/no_usage.manifest", json.dumps({"source": "manifest/0.jpg", "annotation": [{"name": "a"}]}))
    text("manifest/no_source.manifest", json.dumps({"usage": "train", "annotation": [{"name": "a"}]}))
    text("manifest/absent.manifest", json.dumps({"source": "manifest/9.jpg", "usage": "train", "annotation": []}))


def _faces() -> None:
    for where in ("lfw", "lfw_funneled", "lfw-deepfunneled"):
        for name, count in (("Ann", 2), ("Bob", 1)):
            for k in range(1, count + 1):
                picture(f"lfw/{where}/{name}/{name}_000{k}.jpg", len(where) + len(name) * k)
    text("lfw/lfw-names.txt", "Ann\t2", "Bob\t1")
    text("lfw/people.txt", "2", "1", "Ann\t2", "1", "Bob\t1")
    text("lfw/peopleDevTrain.txt", "1", "Bob\t1")
    text("lfw/peopleDevTest.txt", "1", "Ann\t2")
    text("lfw/pairs.txt", "2 1", "Ann 1 2", "Bob 1 Ann 1", "Ann 2 1", "Bob 1 Ann 2")
    text("lfw/pairsDevTrain.txt", "1", "Ann 1 2", "Bob 1 Ann 1")
    text("lfw/pairsDevTest.txt", "1", "Ann 2 1", "Ann 2 Bob 1")


def _patches() -> None:
    for k in range(2):
        picture(f"photo_tour/liberty/patches000{k}.bmp", k, (1024, 1024))
    text("photo_tour/liberty/info.txt", *(f"{k // 2} 0" for k in range(258)))
    text("photo_tour/liberty/m50_100000_100000_0.txt", "0 7 0 1 7 0 0", "17 3 0 256 4 0 0", "2 5 0 257 5 0 0")


def cases() -> list[Case]:
    """Return the calls that are recorded."""
    some = "num_samples=3, shuffle=False"
    return [
        *variants("Caltech101", "'caltech101'"),
        *(f"Caltech101Dataset('caltech101', {kind!r}, shuffle=False)" for kind in ("annotation", "all", "wrong", 3)),
        "Caltech101Dataset('caltech101', decode=True, shuffle=False)",
        "Caltech101Dataset('caltech101').get_class_indexing()",
        *variants("Caltech256", "'caltech256'"),
        "Caltech256Dataset('caltech256', decode=True, shuffle=False)",
        *variants("Food101", "'food101'"),
        *(f"Food101Dataset('food101', {usage!r}, decode=True, shuffle=False)" for usage in ("train", "test", "wrong")),
        *variants("Flowers102", "'flowers102'"),
        *(f"Flowers102Dataset('flowers102', usage={usage!r}, shuffle=False)"
          for usage in ("train", "valid", "test", "wrong")),
        "Flowers102Dataset('flowers102', 'Segmentation', decode=True, shuffle=False)",
        "Flowers102Dataset('flowers102', 'wrong')",
        "Flowers102Dataset('flowers102').get_class_indexing()",
        *variants("LSUN", "'lsun'"),
        *(f"LSUNDataset('lsun', {usage!r}, decode=True, shuffle=False)" for usage in ("train", "valid", "test", "wrong")),
        "LSUNDataset('lsun', 'train', ['classroom'], shuffle=False)",
        "LSUNDataset('lsun', 'train', ['wrong'], shuffle=False)",
        "LSUNDataset('lsun', 'train', 'classroom', shuffle=False)",
        "LSUNDataset('lsun').num_classes()",
        *variants("Omniglot", "'omniglot'"),
        "OmniglotDataset('omniglot', False, decode=True, shuffle=False)",
        "OmniglotDataset('omniglot', 1)",
        "OmniglotDataset('omniglot').num_classes()",
        *variants("Places365", "'places365'"),
        *(f"Places365Dataset('places365', {usage!r}, decode=True, shuffle=False)"
          for usage in ("train-challenge", "val", "wrong")),
        "Places365Dataset('places365', small=False, shuffle=False)",
        *variants("RenderedSST2", "'rendered_sst2'"),
        *(f"RenderedSST2Dataset('rendered_sst2', {usage!r}, decode=True, shuffle=False)"
          for usage in ("train", "val", "test", "wrong")),
        "RenderedSST2Dataset('rendered_sst2').num_classes()",
        *variants("SUN397", "'sun397'"),
        "SUN397Dataset('sun397', decode=True, shuffle=False)",
        *variants("Manifest", "'manifest/all.manifest'"),
        *(f"ManifestDataset('manifest/all.manifest', {usage!r}, decode=True, shuffle=False)" for usage in ("eval", "no")),
        "ManifestDataset('manifest/all.manifest', class_indexing={'cat': 4, 'ant': 1}, shuffle=False)",
        "ManifestDataset('manifest/all.manifest', class_indexing=[1])",
        "ManifestDataset('manifest/all.manifest').get_class_indexing()",
        "ManifestDataset('manifest/all.manifest').num_classes()",
        "ManifestDataset('manifest/all.manifest', class_indexing={'cat': 4, 'ant': 1}).get_class_indexing()",
        *(f"ManifestDataset('manifest/{name}.manifest')" for name in ("no_usage", "no_source", "absent")),
        *variants("LFW", "'lfw'"),
        *(f"LFWDataset('lfw', {task!r}, {usage!r}, {images!r}, decode=True, shuffle=False)" for task, usage, images in (
            ("people", "10fold", "original"), ("people", "train", "deepfunneled"), ("people", "test", None),
            ("pairs", "10fold", None), ("pairs", "train", None), ("pairs", None, "original"), ("wrong", None, None),
            ("people", "wrong", None), ("people", None, "wrong"))),
        f"PhotoTourDataset('photo_tour', 'liberty', {some})",
        "PhotoTourDataset('photo_tour', 'liberty', shuffle=False, sampler=SubsetSampler([0, 255, 256, 17]))",
        "PhotoTourDataset('photo_tour', 'liberty', sampler=SubsetSampler([0, 255, 256, 17]))",
        *variants("PhotoTour", "'photo_tour', 'liberty', 'test'"),
        "PhotoTourDataset('photo_tour', 'wrong')",
        "PhotoTourDataset('photo_tour', 'liberty', 'wrong')",
        "PhotoTourDataset('photo_tour', 'yosemite')",
        *variants("Flickr", "'flickr/images', 'flickr/all.token'"),
        "FlickrDataset('flickr/images', 'flickr/all.token', decode=True, shuffle=False)",
        "FlickrDataset('flickr/images', 'flickr/missing.token', shuffle=False)",
        "FlickrDataset('flickr/images', 'none.token', shuffle=False)",
        *variants("SBU", "'sbu'"),
        "SBUDataset('sbu', decode=True, shuffle=False)",
    ]  # fmt: skip
