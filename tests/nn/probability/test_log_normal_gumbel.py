"""LogNormal and Gumbel: the rows of the tables."""

from probability_tables import distributions_of

TestRows = distributions_of("sporax._src.nn.probability.log_normal_gumbel")
