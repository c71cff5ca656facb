"""Images that are transformed, laid side by side and written, against values recorded from torchvision."""

import io

import numpy as np
import PIL.Image

import sporax as ms


def test_transforms_give_tensors(run):
    program = """
t = T.Compose([T.ToTensor(), T.Normalize((0.5, 0.4, 0.3), (0.2, 0.25, 0.5)), T.Lambda(lambda v: v.flatten())])
x = t(image)
one = T.Compose([T.Resize(4), T.CenterCrop(2), T.ToTensor()])(image).unsqueeze(0)
whole = T.PILToTensor()(image)
text = repr(T.Compose([T.ToTensor(), T.Normalize((0.5,), (0.2,))]))
erased = T.RandomErasing(p=1.0, scale=(0.5, 0.6))(torch.ones(3, 8, 8))
"""
    names = run(program, image=PIL.Image.fromarray(np.arange(12, dtype=np.uint8).reshape(2, 2, 3) * 20))
    expected = [-2.5, -1.3235295, -0.14705881, 1.0294118, -1.2862746, -0.3450980]
    expected += [0.5960785, 1.5372549, -0.2862745, 0.1843137, 0.6549020, 1.1254902]
    np.testing.assert_allclose(names["x"].asnumpy(), expected, rtol=1e-6)
    assert names["one"].shape == (1, 3, 2, 2)
    assert names["whole"].dtype == ms.uint8 and names["whole"].asnumpy()[:, 1, 1].tolist() == [180, 200, 220]
    assert names["text"] == "Compose(\n    ToTensor()\n    Normalize(mean=(0.5,), std=(0.2,))\n)"
    assert 0 < float((names["erased"] == 0).float().mean()) < 1


def test_grids_of_images(run):
    program = """
x = torch.arange(12.0).reshape(3, 1, 2, 2) / 10
framed = make_grid(x, nrow=2, padding=1, pad_value=0.5)
each = make_grid(list(x), nrow=2, padding=0, normalize=True, scale_each=True)
every = make_grid(x, nrow=2, padding=0, normalize=True)
between = make_grid(x, nrow=2, padding=0, normalize=True, value_range=(0.2, 0.8))
single = make_grid(x[0])
save_image(x, file, "png", nrow=2, padding=0)
"""
    file = io.BytesIO()
    names = run(program, file=file)
    framed = [
        [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0, 0.1, 0.5, 0.4, 0.5, 0.5], [0.5, 0.2, 0.3, 0.5, 0.6, 0.7, 0.5],
        [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.8, 0.9, 0.5, 0.5, 0.5, 0.5], [0.5, 1, 1.1, 0.5, 0.5, 0.5, 0.5],
        [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    ]  # fmt: skip
    np.testing.assert_allclose(names["framed"].asnumpy()[0], framed, rtol=1e-6)
    each = [[0, 1 / 3, 0, 1 / 3], [2 / 3, 1, 2 / 3, 1], [0, 1 / 3, 0, 0], [2 / 3, 1, 0, 0]]
    np.testing.assert_allclose(names["each"].asnumpy()[2], each, rtol=1e-5)
    every = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 0, 0], [10, 11, 0, 0]]
    np.testing.assert_allclose(names["every"].asnumpy()[1] * 11, every, rtol=1e-5)
    between = [[0, 0, 1 / 3, 0.5], [0, 1 / 6, 2 / 3, 5 / 6], [1, 1, 0, 0], [1, 1, 0, 0]]
    np.testing.assert_allclose(names["between"].asnumpy()[0], between, rtol=1e-5)
    assert names["single"].shape == (3, 2, 2)
    written = np.array(PIL.Image.open(file))
    assert written[..., 0].tolist() == [[0, 26, 102, 128], [51, 77, 153, 179], [204, 230, 0, 0], [255, 255, 0, 0]]
