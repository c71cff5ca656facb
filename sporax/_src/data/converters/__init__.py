"""Public data sets as MindRecord files: one file for each format they come in.

Reading order: `batches` (rows to a writer), `names`, `status`, `cifar`, `mnist`, `imagenet`, `csv_table`, `tfrecord`.
"""
