"""transform/parallel"""
