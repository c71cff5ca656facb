"""What a program keeps in attributes from one method to the next: data are passed on, results are computed again."""

import pytest
from converted_text import body, reasons

TRAINER = """class Trainer:
    def __init__(self, net, opt):
        self.net, self.opt, self.scale = net, opt, 2.0

    def set(self, batch):
        self.real = batch

    def forward(self):
        self.fake = self.net(self.real)

    def step(self):
        self.opt.zero_grad()
        loss = criterion(self.fake) * self.scale
        loss.backward()
        self.opt.step()
"""


def test_the_method_whose_result_is_differentiated_runs_again() -> None:
    assert (
        "        def forward_fn(*_):\n"
        "            self.forward()\n"
        "            loss = criterion(self.fake) * self.scale\n"
        "            return loss\n"
        "        loss, grads = mindspore.value_and_grad(forward_fn, None, self.opt.parameters)(self.real)\n"
        "        self.opt(grads)\n"
    ) in body(TRAINER)


def test_what_is_detached_does_not_flow() -> None:
    text = TRAINER.replace("criterion(self.fake)", "self.net(self.fake.detach())")
    assert "self.forward()" not in body(text)
    assert "self.opt.parameters)(self.fake)\n" in body(text)


def test_data_that_init_alone_assigns_stays_as_it_is() -> None:
    text = TRAINER.replace("    def set(self, batch):\n        self.real = batch\n\n", "").replace(
        "2.0\n", "2.0\n        self.real = batch()\n"
    )
    assert "self.opt.parameters)()\n" in body(text)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (
            "    def other(self):\n        self.fake = self.net(1)\n",
            "backward: self.fake is computed in forward and other; compute it in this block",
        ),
    ],
)
def test_results_of_which_the_method_is_not_known_are_left(more: str, reason: str) -> None:
    assert reason in reasons(TRAINER + "\n" + more)
