"""Runs that services track, and stand-ins for their packages."""

WANTED = [
    ({"loss", "learning_rate", "epoch"}, 1),
    ({"loss", "learning_rate", "epoch"}, 3),
    ({"eval/mae", "eval/loss"}, 4),
    ({"loss", "learning_rate", "epoch"}, 6),
    ({"eval/mae", "eval/loss"}, 8),
]
