"""A stand-in for gym: an environment with random linear dynamics, in the place of any environment."""

import numpy as np


class Box:
    """A space of vectors between -1 and 1."""

    def __init__(self, size):
        self.shape, self.high, self.low = (size,), np.ones(size, np.float32), -np.ones(size, np.float32)
        self.seed(0)

    def seed(self, value):
        """Start the random numbers anew."""
        self.rng = np.random.default_rng(value)

    def sample(self):
        """Return a random vector of the space."""
        return self.rng.uniform(-1, 1, self.shape).astype(np.float32)


class Environment:
    """A state that an action moves; the reward is high near zero."""

    _max_episode_steps = 40

    def __init__(self):
        rng = np.random.default_rng(0)
        self.observation_space, self.action_space = Box(5), Box(2)
        self.dynamics, self.effects = rng.uniform(-0.3, 0.3, (5, 5)), rng.uniform(-1, 1, (2, 5))
        self.seed(0)

    def seed(self, value):
        """Start the random numbers anew."""
        self.rng = np.random.default_rng(value)

    def reset(self):
        """Begin an episode."""
        self.steps, self.state = 0, self.rng.uniform(-1, 1, 5)
        return self.state

    def step(self, action):
        """Return the next state, the reward, whether the episode ends, and nothing else."""
        self.steps += 1
        self.state = self.state @ self.dynamics + np.asarray(action) @ self.effects
        return self.state, -float(self.state @ self.state), self.steps == self._max_episode_steps, {}


def make(name):
    """Return the environment."""
    return Environment()
