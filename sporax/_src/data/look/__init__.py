"""A look at pipelines: as a tree, with the first row, with times, and as a picture.

Reading order: `watch` (what rows take in each dataset of a pipeline), `lines` (a line for each dataset), `views` (the methods that
show them), `preview` (a picture of a batch).
"""
