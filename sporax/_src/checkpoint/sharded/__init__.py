"""checkpoint/sharded"""
