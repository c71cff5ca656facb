"""The benchmark's models, one file a framework; `bench.specs` holds what they share."""
