"""nn/parallel"""
