"""Attributes of layers by torch's names, where the layer is known only when the program runs."""

from sporax import nn
from sporax._src.migrate.helpers.nn.modules import _named_parameters


def _own(layer, name):
    """Return the Cell that has the attribute which torch calls `name`, and the attribute's name there."""
    layer = layer.bn2d if isinstance(layer, nn.BatchNorm3d) else layer
    norm = {"weight": "gamma", "bias": "beta", "running_mean": "moving_mean", "running_var": "moving_variance"}
    names = {
        (nn.BatchNorm1d, nn.BatchNorm2d, nn.GroupNorm, nn.LayerNorm): norm,
        nn.Embedding: {"weight": "embedding_table", "num_embeddings": "vocab_size", "embedding_dim": "embedding_size"},
        nn.PReLU: {"weight": "w"},
        nn.Dense: {"in_features": "in_channels", "out_features": "out_channels"},
    }
    return layer, next((own.get(name, name) for kinds, own in names.items() if isinstance(layer, kinds)), name)


def _attribute(layer, name, *default):
    """Return the attribute of an object that has this name in torch."""
    return getattr(*_own(layer, name), *default)


def _has_attribute(layer, name):
    """Return whether an object has the attribute of this name in torch."""
    return hasattr(*_own(layer, name))


def _set_attribute(layer, name, value):
    """Set the attribute of an object that has this name in torch."""
    setattr(*_own(layer, name), value)


def _named_as_by_torch(cell, prefix="", recurse=True, remove_duplicate=True):
    """Yield the Parameters of a Cell with torch's names, from which programs tell what a Parameter is."""
    cells = dict(cell.cells_and_names(name_prefix=prefix))
    for path, parameter in _named_parameters(cell, prefix, recurse, remove_duplicate):
        owner, _, own = path.rpartition(".")
        name = next((name for name in ("weight", "bias") if _own(cells[owner], name)[1] == own), own)
        outer = owner.removesuffix("bn2d").removesuffix(".")
        owner = outer if isinstance(cells.get(outer), nn.BatchNorm3d) else owner
        yield (f"{owner}.{name}" if owner else name), parameter
