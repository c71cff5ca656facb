"""The layouts of a Model's Parameters over devices, which compilation determines."""

from __future__ import annotations

from typing import Any

from sporax._src.base import config


class Layouts:
    """The part of a Model that compiles in advance to determine layouts; on one device Parameters are whole."""

    predict_network: Any
    train_network: Any

    def build(self, train_dataset: object = None) -> None:
        """Compile the training step; see `Model`."""
        raise NotImplementedError

    def infer_predict_layout(self, *predict_data: object, skip_backend_compile: bool = False) -> dict[str, Any]:
        """Compile the network for inference on the given inputs, and return the layouts of its Parameters by name.

        Args:
            *predict_data: The inputs.
            skip_backend_compile: Accepted for MindSpore programs.

        Raises:
            RuntimeError: If the mode is not GRAPH_MODE.
        """
        _only_graphs("infer_predict_layout")
        self.predict_network.set_train(False)
        self.predict_network.compile(*predict_data)
        return self.predict_network.parameter_layout_dict

    def infer_train_layout(
        self, train_dataset: object, dataset_sink_mode: bool = True, sink_size: int = -1
    ) -> dict[str, Any]:
        """Compile the training step for the first batch of a dataset, and return the layouts of its Parameters by name.

        Args:
            train_dataset: The dataset.
            dataset_sink_mode, sink_size: Accepted; a graph fits any number of steps.

        Raises:
            RuntimeError: If the mode is not GRAPH_MODE.
        """
        _only_graphs("infer_train_layout")
        self.build(train_dataset)
        return self.train_network.parameter_layout_dict


def _only_graphs(name: str) -> None:
    if config.mode() != config.GRAPH_MODE:
        raise RuntimeError(
            f"Model.{name}: graphs are compiled ahead in GRAPH_MODE only; set_context(mode=GRAPH_MODE) first."
        )
