"""Small copies of data sets of pictures with boxes, or with pictures of what is where."""

import numpy as np

from dataset_files.common import Case, as_json, matrices, picture, raw, text, variants


def write() -> None:
    """Write them into the working folder."""
    for k, name in enumerate(("000011.jpg", "000002.jpg", "000003.jpg", "000004.jpg")):
        picture(f"coco/train/{name}", k)
    _coco()
    _voc()
    for k in range(3):
        picture(f"kitti/data_object_image_2/training/image_2/00000{k}.png", k)
        picture(f"kitti/data_object_image_2/testing/image_2/00000{k}.png", 10 + k)
    lines = ["Pedestrian 0.00 0 -0.20 712.40 143.00 810.73 307.92 1.89 0.48 1.20 1.84 1.47 8.41 0.01",
             "Car 0.25 2 -1.84 662.20 185.85 690.21 205.03 1.48 1.36 3.51 5.35 2.56 58.84 -1.75",
             "DontCare -1 -1 -10 610.50 179.95 629.68 196.31 -1 -1 -1 -1000 -1000 -1000 -10"]  # fmt: skip
    for k, chosen in enumerate((lines, lines[1:], lines[:1])):
        text(f"kitti/data_object_label_2/training/label_2/00000{k}.txt", *chosen)
    for part, count in (("train", 2), ("val", 2), ("test", 1)):
        names = [f"{k}--Event/{k}_Event_{part}_{k}.jpg" for k in range(count)]
        for k, name in enumerate(names):
            picture(f"wider/WIDER_{part}/images/{name}", len(part) + k)
        boxes = [["2", "78 221 7 8 2 0 0 0 0 0 ", "78 238 14 17 2 1 0 2 0 1 "], ["1", "12 34 15 16 1 0 1 0 1 0 "]]
        described = [line for name, lines in zip(names, boxes, strict=False) for line in (name, *lines)]
        if part == "test":
            text("wider/wider_face_split/wider_face_test_filelist.txt", *names)
        else:
            text(f"wider/wider_face_split/wider_face_{part}_bbx_gt.txt", *described)
    for quality, parts in (("gtFine", ("train", "test", "val")), ("gtCoarse", ("train", "train_extra", "val"))):
        for part in parts:
            for k, name in enumerate(("bonn/bonn_01", "bonn/bonn_00", "aachen/aachen_07")):
                picture(f"cityscapes/leftImg8bit/{part}/{name}_leftImg8bit.png", len(part) + k)
                for number, task in enumerate(("color", "instanceIds", "labelIds")):
                    picture(f"cityscapes/{quality}/{part}/{name}_{quality}_{task}.png", len(part) + 3 * k + number)
                polygons = {
                    "imgHeight": 4,
                    "imgWidth": 5,
                    "objects": [{"label": "road", "polygon": [[0, 1.5], [k, 2]]}],
                }
                as_json(f"cityscapes/{quality}/{part}/{name}_{quality}_polygons.json", polygons)
    _contours()
    for part in ("train", "valid"):
        for k in range(1, 4):
            picture(f"div2k/DIV2K_{part}_HR/000{k}.png", len(part) + k)
            for path in ("bicubic/X2/000{}x2", "unknown/X3/000{}x3", "mild/000{}x4m", "difficult/000{}x4d",
                         "wild/000{}x4w", "x8/000{}x8"):  # fmt: skip
                picture(f"div2k/DIV2K_{part}_LR_{path.format(k)}.png", len(part) + len(path) + k, (2, 3, 3))


def _coco() -> None:
    images = [{"file_name": name, "id": k} for k, name in
              ((11, "000011.jpg"), (2, "000002.jpg"), (3, "000003.jpg"), (4, "000004.jpg"))]  # fmt: skip
    categories = [{"name": name, "id": k, "isthing": k % 2} for k, name in ((3, "cat"), (1, "dog"), (7, "sky"))]

    def write(name: str, annotations: list[dict], **more: object) -> None:
        numbered = [{"id": 100 + k, **annotation} for k, annotation in enumerate(annotations)]
        as_json(f"coco/{name}.json", {"images": images, "annotations": numbered, "categories": categories, **more})

    boxes = [
        {"image_id": 2, "bbox": [1.5, 2, 3, 4.25], "category_id": 3, "iscrowd": 0, "segmentation": [[1, 2, 3, 4.5]]},
        {"image_id": 11, "bbox": [5, 6, 7, 8], "category_id": 1, "iscrowd": 1,
         "segmentation": {"counts": [7, 8, 9], "size": [4, 5]}},
        {"image_id": 2, "bbox": [0, 0, 1, 1], "category_id": 7, "iscrowd": 0, "segmentation": [[1, 2], [3, 4, 5, 6]]},
        {"image_id": 3, "bbox": [0, 1, 2, 3], "category_id": 1, "iscrowd": 0, "segmentation": [[9, 8]]},
    ]  # fmt: skip
    write("instances", boxes)
    write("unknown_category", [{**boxes[0], "category_id": 9}])
    write("unknown_image", [{**boxes[0], "image_id": 9}])
    write("no_images", boxes, images=[])
    write("keypoints", [{"image_id": 2, "keypoints": [1, 2, 2, 0, 0, 0], "num_keypoints": 1},
                        {"image_id": 3, "keypoints": [3, 4, 1], "num_keypoints": 1},
                        {"image_id": 2, "keypoints": [5, 6, 2, 7, 8, 1], "num_keypoints": 2}])  # fmt: skip
    write("captions", [{"image_id": k, "caption": f"Caption {n} of {k}"} for n, k in enumerate((3, 2, 3))])
    segments = [{"id": 5, "category_id": 3, "iscrowd": 0, "bbox": [1, 2, 3, 4], "area": 12},
                {"id": 6, "category_id": 7, "iscrowd": 1, "bbox": [5, 6, 7, 8], "area": 56}]  # fmt: skip
    write("panoptic", [{"image_id": 4, "segments_info": segments}, {"image_id": 2, "segments_info": segments[1:]}])
    raw("coco/broken.json", b"{]")


def _voc() -> None:
    objects = {
        "2007_01": [("dog", (1, 2, 4, 5), 0, 1), ("car", (3.5, 1, 5, 4), 1, 0)],
        "2007_02": [("cat", (1, 1, 2, 3), 0, 0)],
        "2007_03": [("dog", (2, 1, 4, 4), None, None)],
    }
    for k, (name, found) in enumerate(objects.items()):
        picture(f"voc/JPEGImages/{name}.jpg", k)
        picture(f"voc/SegmentationClass/{name}.png", 10 + k)
        _described(f"voc/Annotations/{name}.xml", found)
    for name, found in (("bad_box", [("dog", (4, 2, 1, 5), 0, 0)]), ("no_object", [])):
        _described(f"voc/Annotations/{name}.xml", found)
        text(f"voc/ImageSets/Main/{name}.txt", name)
    raw("voc/Annotations/bad_xml.xml", b"no xml")
    text("voc/ImageSets/Main/bad_xml.txt", "bad_xml")
    text("voc/ImageSets/Main/no_xml.txt", "2008_01")
    for kind in ("Main", "Segmentation"):
        text(f"voc/ImageSets/{kind}/train.txt", "2007_03", "2007_01")
        text(f"voc/ImageSets/{kind}/val.txt", "2007_02")
        text(f"voc/ImageSets/{kind}/trainval.txt", *objects)


def _described(path: str, objects: list) -> None:
    parts = []
    for name, box, difficult, truncated in objects:
        sides = "".join(
            f"<{side}>{value}</{side}>" for side, value in zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
        )
        marks = "" if difficult is None else f"<truncated>{truncated}</truncated><difficult>{difficult}</difficult>"
        parts.append(f"<object><name>{name}</name>{marks}<bndbox>{sides}</bndbox></object>")
    text(path, f"<annotation><folder>VOC</folder>{''.join(parts)}</annotation>")


def _contours() -> None:
    from scipy.sparse import csc_matrix

    parts = {"train": ("2008_02", "2008_00"), "val": ("2008_01",), "train_noval": ("2008_02",)}
    for k in range(3):
        picture(f"sbd/img/2008_0{k}.jpg", k)
        rng = np.random.RandomState(k)
        boundaries = np.empty((20, 1), object)
        for number in range(20):
            boundaries[number, 0] = csc_matrix(rng.randint(0, 2, (4, 5)).astype(np.uint8))
        found = {"Boundaries": boundaries, "Segmentation": rng.randint(0, 21, (4, 5)).astype(np.uint8)}
        matrices(f"sbd/cls/2008_0{k}.mat", {"GTcls": found})
    for part, names in parts.items():
        text(f"sbd/{part}.txt", *names)


def cases() -> list[Case]:
    """Return the calls that are recorded."""
    instances = "'coco/train', 'coco/instances.json'"
    named = ".rename('_meta-filename', 'filename')"
    tasks = (("instances", "Stuff"), ("keypoints", "Keypoint"), ("captions", "Captioning"), ("panoptic", "Panoptic"))
    return [
        *variants("Coco", instances),
        f"CocoDataset({instances}, decode=True, shuffle=False)",
        *(f"CocoDataset('coco/train', 'coco/{name}.json', {task!r}, shuffle=False)" for name, task in tasks),
        *(f"CocoDataset('coco/train', 'coco/{name}.json', {task!r}).get_class_indexing()"
          for name, task in (*tasks, ("instances", "Detection"))),
        *(f"CocoDataset('coco/train', 'coco/{name}.json', {task!r}, shuffle=False, extra_metadata=True){named}"
          for name, task in (*tasks, ("instances", "Detection"))),
        *(f"CocoDataset('coco/train', 'coco/{name}.json', shuffle=False)"
          for name in ("unknown_category", "unknown_image", "no_images", "broken", "none", "captions")),
        f"CocoDataset({instances}, 'Wrong')",
        f"CocoDataset({instances}, extra_metadata=True, shuffle=False)",
        f"CocoDataset({instances}, decrypt=reversed_bytes, shuffle=False)",
        f"CocoDataset({instances}, decrypt=3)",
        f"CocoDataset({instances}, extra_metadata=3)",
        *variants("VOC", "'voc'"),
        *variants("VOC", "'voc', 'Detection'"),
        "VOCDataset('voc', decode=True, shuffle=False)",
        "VOCDataset('voc', 'Segmentation', 'val', decode=True, shuffle=False)",
        "VOCDataset('voc', 'Detection', 'trainval', decode=True, shuffle=False)",
        "VOCDataset('voc', 'Detection', 'trainval', class_indexing={'dog': 5, 'cat': 0}, shuffle=False)",
        "VOCDataset('voc', 'Detection', 'trainval').get_class_indexing()",
        "VOCDataset('voc', 'Detection', 'trainval', class_indexing={'dog': 5, 'cat': 0}).get_class_indexing()",
        "VOCDataset('voc').get_class_indexing()",
        *(f"VOCDataset('voc', {task!r}, {usage!r}, shuffle=False)" for task, usage in (
            ("Detection", "bad_box"), ("Detection", "no_object"), ("Detection", "bad_xml"), ("Detection", "no_xml"),
            ("Detection", "none"), ("Segmentation", "none"), ("Wrong", "train"))),
        f"VOCDataset('voc', 'Detection', shuffle=False, extra_metadata=True){named}",
        "VOCDataset('voc', 'Detection', shuffle=False, extra_metadata=True)",
        "VOCDataset('voc', 'Segmentation', class_indexing={'dog': 5})",
        "VOCDataset('voc', 'Detection', class_indexing=[5])",
        "VOCDataset('voc', shuffle=False, decrypt=reversed_bytes)",
        *variants("KITTI", "'kitti'"),
        *(f"KITTIDataset('kitti', {usage!r}, decode=True, shuffle=False)" for usage in ("train", "test", "all")),
        *variants("WIDERFace", "'wider'"),
        *(f"WIDERFaceDataset('wider', {usage!r}, decode=True, shuffle=False)"
          for usage in ("train", "valid", "test", "all", "wrong")),
        *variants("Cityscapes", "'cityscapes'"),
        *(f"CityscapesDataset('cityscapes', {usage!r}, {quality!r}, {task!r}, decode=True, shuffle=False)"
          for usage, quality, task in (
            ("train", "fine", "semantic"), ("all", "fine", "color"), ("val", "coarse", "polygon"),
            ("all", "coarse", "instance"), ("test", "coarse", "color"), ("train", "wrong", "color"),
            ("train", "fine", "wrong"))),
        *(call.replace("SBDDataset", "SBDataset") for call in variants("SBD", "'sbd'")),
        *(f"SBDataset('sbd', {task!r}, {usage!r}, shuffle=False, decode=True)" for task, usage in (
            ("Boundaries", "train"), ("Segmentation", "all"), ("Segmentation", "train_noval"), ("Wrong", "train"),
            ("Boundaries", "wrong"))),
        *variants("DIV2K", "'div2k'"),
        *(f"DIV2KDataset('div2k', {usage!r}, {kind!r}, {scale}, decode=True, shuffle=False)" for usage, kind, scale in (
            ("all", "bicubic", 2), ("valid", "unknown", 3), ("train", "mild", 4), ("train", "difficult", 4),
            ("train", "wild", 4), ("train", "bicubic", 8), ("train", "unknown", 8), ("train", "mild", 2),
            ("train", "bicubic", 5), ("train", "wrong", 2), ("wrong", "bicubic", 2), ("train", "bicubic", 3))),
    ]  # fmt: skip
