"""train/callbacks"""
