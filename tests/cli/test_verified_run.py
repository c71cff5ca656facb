"""The process of `sporax migrate --verify`: weights that torch had, and one order of random numbers."""

import subprocess
import sys

import numpy as np
import pytest

RUN = "sporax._src.cli.verified_run"
TORCH = (
    "import torch\nnet = torch.nn.{layer}\nnet(torch.ones(1, 3, 4))\n"
    "print(*net.weight.flatten().tolist(), *torch.rand(2).tolist())\n"
)
OURS = (
    "import mindspore\nfrom mindspore import mint\nnet = mint.nn.{layer}\nnet(mint.ones((1, 3, 4)))\n"
    "print(*net.weight.flatten().tolist(), *mint.rand(2).tolist())\n"
)


def run(framework, text, folder):
    (folder / f"of_{framework}.py").write_text(text)
    words = [sys.executable, "-m", RUN, framework, str(folder), f"of_{framework}.py"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("layer", ["Linear(4, 2)", "BatchNorm1d(3)"])
def test_networks_get_the_weights_of_torch(layer, tmp_path):
    expected = run("torch", TORCH.format(layer=layer), tmp_path)
    got = run("mindspore", OURS.format(layer=layer), tmp_path)
    assert expected.returncode == got.returncode == 0, expected.stderr + got.stderr
    np.testing.assert_allclose(np.fromstring(got.stdout, sep=" "), np.fromstring(expected.stdout, sep=" "), rtol=1e-6)


def test_parameters_have_the_names_of_torch_in_every_target(tmp_path):
    layer = "Conv1d(3, 2, 1)"
    expected = run("torch", TORCH.format(layer=layer), tmp_path)
    classic = OURS.replace("mint.nn.{layer}", "nn.{layer}").replace(
        "from mindspore import mint", "from mindspore import mint, nn"
    )
    got = run("mindspore", classic.format(layer=layer[:-1] + ", has_bias=True)"), tmp_path)
    assert expected.returncode == got.returncode == 0, expected.stderr + got.stderr
    np.testing.assert_allclose(np.fromstring(got.stdout, sep=" "), np.fromstring(expected.stdout, sep=" "), rtol=1e-6)


def test_a_network_that_is_made_in_a_call_gets_weights_too(tmp_path):
    net = "class Net(nn.{kind}):\n    def __init__(self):\n        super().__init__()\n        self.layer = {layers}.Linear(3, 3)\n"
    net += "    def {call}(self, x):\n        return {layers}.Linear(3, 2)(self.layer(x))\n"
    net += "made = Net()\nfor _ in range(2):\n    print(*made({x}).flatten().tolist())\n"
    of_torch = net.format(kind="Module", layers="nn", call="forward", x="torch.ones(1, 3)")
    ours = net.format(kind="Cell", layers="mint.nn", call="construct", x="mint.ones((1, 3))")
    expected = run("torch", f"import torch\nfrom torch import nn\n{of_torch}", tmp_path)
    got = run("mindspore", f"from mindspore import mint, nn\n{ours}", tmp_path)
    assert expected.returncode == got.returncode == 0, expected.stderr + got.stderr
    # A sum of terms of about 0.5 may cancel: its error is measured against the terms, four times float32's eps.
    got, expected = np.fromstring(got.stdout, sep=" "), np.fromstring(expected.stdout, sep=" ")
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=5e-7)


def test_new_layers_leave_the_random_state_of_numpy(tmp_path):
    text = "import numpy as np\nfrom mindspore import mint, nn\nnp.random.seed(0)\n{}\nprint(np.random.rand())\n"
    layers = "mint.nn.Linear(2, 2)\nnn.LSTM(2, 2)"
    assert (
        run("mindspore", text.format(layers), tmp_path).stdout
        == run("mindspore", text.format(""), tmp_path).stdout
        != ""
    )


def test_other_parameters_are_an_error(tmp_path):
    run("torch", TORCH.format(layer="Linear(4, 2)"), tmp_path)
    got = run("mindspore", OURS.format(layer="Linear(4, 3)"), tmp_path)
    assert got.returncode == 1
    assert "Linear has other Parameters than its counterpart under torch: weight, bias" in got.stderr


def test_whole_numbers_are_drawn_alike(tmp_path):
    draws = "{0}.randint(9, size=(2,)), {0}.randint(0, 9, (2, 2)), {0}.randint(low=3, high=9, size=(2,))"
    text = "print([x.tolist() for x in ({})])\n"
    expected = run("torch", f"import torch\n{text.format(draws.format('torch'))}", tmp_path)
    got = run("mindspore", f"from mindspore import mint\n{text.format(draws.format('mint'))}", tmp_path)
    assert expected.returncode == got.returncode == 0, expected.stderr + got.stderr
    assert got.stdout == expected.stdout
