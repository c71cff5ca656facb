"""Small names below MindSpore's private paths that programs import all the same."""
