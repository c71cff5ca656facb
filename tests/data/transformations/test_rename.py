"""`rename`: the rows of the tables."""

from data_tables import pipelines_of

TestPipelines = pipelines_of("sporax._src.data.transformations.rename")
