"""Helpers for the target "classic": `_mint_name` stands for `mint.name`, of which MindSpore has no kernel on a CPU."""
