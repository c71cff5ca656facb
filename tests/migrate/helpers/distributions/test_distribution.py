"""What all distributions have: the rows of the torch map that use these helpers, and divergences of one's own."""

import pytest
from torch_map_rows import rows_of

from sporax import Tensor
from sporax._src.migrate.helpers.distributions.distribution import _kl_divergence, _register_kl
from sporax._src.migrate.helpers.distributions.location_scale import _Normal
from sporax._src.migrate.helpers.distributions.positive import _Gamma

TestRows = rows_of("sporax._src.migrate.helpers.distributions.distribution")


def test_a_divergence_that_is_registered_is_of_classes_and_those_derived_from_them():
    class Own(_Normal):
        pass

    class Derived(_Gamma):
        pass

    normal, gamma = Own(Tensor(0.0), Tensor(1.0)), Derived(Tensor(2.0), Tensor(3.0))
    with pytest.raises(NotImplementedError, match=r"No KL.* for p type Own and q type Derived"):
        _kl_divergence(normal, gamma)

    @_register_kl(Own, _Gamma)
    def difference(p, q):
        return p.mean - q.mean

    assert float(_kl_divergence(normal, gamma)) == float(difference(normal, gamma)) == pytest.approx(-2 / 3)
    with pytest.raises(NotImplementedError, match="for p type _Normal"):
        _kl_divergence(_Normal(Tensor(0.0), Tensor(1.0)), gamma)
