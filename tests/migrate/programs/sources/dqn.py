"""Double deep Q-learning on a line of cells: replay memory, a target network, dueling heads, gather, Huber loss."""

import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward", "done"))

LENGTH = 8
BATCH_SIZE = 16
GAMMA = 0.95
EPS_START, EPS_END, EPS_DECAY = 0.9, 0.1, 40
TAU = 0.05
TARGET_UPDATE = 8


class Corridor:
    """Walk left or right, or stay; the goal is at the right end, a pit at the left."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.reset()

    def reset(self):
        self.position = int(self.rng.integers(1, LENGTH - 1))
        self.time = 0
        return self.observe()

    def observe(self):
        state = np.zeros(LENGTH + 1, dtype=np.float32)
        state[self.position] = 1.0
        state[-1] = self.time / 20
        return state

    def step(self, action):
        self.position += (-1, 1, 0)[action]
        self.time += 1
        reward = 1.0 if self.position == LENGTH - 1 else -1.0 if self.position == 0 else -0.05
        done = self.position in (0, LENGTH - 1) or self.time >= 20
        return self.observe(), reward, done


class ReplayMemory(object):
    def __init__(self, capacity, seed=0):
        self.memory = deque(maxlen=capacity)
        self.random = random.Random(seed)

    def push(self, *args):
        """Save a transition"""
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return self.random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    """One trunk, and heads for the value of a state and the advantage of each action."""

    def __init__(self, n_observations=LENGTH + 1, n_actions=3, hidden=16):
        super(DQN, self).__init__()
        self.layer1 = nn.Linear(n_observations, hidden)
        self.layer2 = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, 1)
        self.advantage = nn.Linear(hidden, n_actions)

    # Called with either one element to determine next action, or a batch during optimization.
    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        value, advantage = self.value(x), self.advantage(x)
        return value + advantage - advantage.mean(dim=-1, keepdim=True)


class Agent:
    def __init__(self, policy_net, target_net, lr=5e-3, seed=0):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.policy_net = policy_net.to(self.device)
        self.target_net = target_net.to(self.device)
        self.target_net.load_state_dict(self.policy_net.state_dict())
        self.target_net.eval()
        self.optimizer = optim.AdamW(self.policy_net.parameters(), lr=lr, amsgrad=True)
        self.memory = ReplayMemory(200)
        self.rng = np.random.default_rng(seed)
        self.steps_done = 0

    def select_action(self, state):
        eps = EPS_END + (EPS_START - EPS_END) * np.exp(-1.0 * self.steps_done / EPS_DECAY)
        self.steps_done += 1
        if self.rng.random() < eps:
            return int(self.rng.integers(3))
        with torch.no_grad():
            # max(1) will return the largest column value of each row; [1] is its index
            q_values = self.policy_net(torch.from_numpy(state).unsqueeze(0).to(self.device))
            return q_values.max(1)[1].item()

    def optimize_model(self):
        transitions = self.memory.sample(BATCH_SIZE)
        # Transpose the batch: from a list of Transitions to a Transition of lists
        batch = Transition(*zip(*transitions, strict=True))

        state_batch = torch.from_numpy(np.stack(batch.state)).to(self.device)
        action_batch = torch.tensor(batch.action, dtype=torch.int64, device=self.device).unsqueeze(1)
        reward_batch = torch.tensor(batch.reward, dtype=torch.float32, device=self.device)
        next_state_batch = torch.from_numpy(np.stack(batch.next_state)).to(self.device)
        not_done = 1.0 - torch.tensor(batch.done, dtype=torch.float32, device=self.device)

        # Q(s_t, a) of the actions that were taken
        state_action_values = self.policy_net(state_batch).gather(1, action_batch).squeeze(1)

        # V(s_{t+1}): the policy chooses the action, the older target_net values it
        with torch.no_grad():
            best_actions = self.policy_net(next_state_batch).argmax(dim=1, keepdim=True)
            next_state_values = self.target_net(next_state_batch).gather(1, best_actions).squeeze(1)
        expected_state_action_values = reward_batch + GAMMA * next_state_values * not_done

        criterion = nn.SmoothL1Loss()
        loss = criterion(state_action_values, expected_state_action_values)

        # Optimize the model
        self.optimizer.zero_grad()
        loss.backward()
        # In-place gradient clipping
        torch.nn.utils.clip_grad_value_(self.policy_net.parameters(), 0.5)
        self.optimizer.step()
        return loss.item()

    def soft_update(self):
        """θ′ ← τ θ + (1 −τ) θ′"""
        for target_param, local_param in zip(self.target_net.parameters(), self.policy_net.parameters(), strict=True):
            target_param.data.copy_(TAU * local_param.data + (1.0 - TAU) * target_param.data)

    def hard_update(self):
        self.target_net.load_state_dict(self.policy_net.state_dict())


def build_model():
    return DQN(), DQN()


def example_inputs():
    rng = np.random.default_rng(1)
    states = rng.random((5, LENGTH + 1)).astype(np.float32)
    actions = rng.integers(0, 3, (5, 1))
    targets = rng.standard_normal(5).astype(np.float32)
    return torch.from_numpy(states), torch.from_numpy(actions), torch.from_numpy(targets)


def predict(model, inputs):
    policy_net, target_net = model
    return policy_net(inputs[0]), target_net(inputs[0][0])


def forward_loss(model, inputs):
    policy_net, target_net = model
    states, actions, rewards = inputs
    targets = rewards + GAMMA * target_net(states).max(1)[0].detach()
    return F.smooth_l1_loss(policy_net(states).gather(1, actions).squeeze(1), targets)


def train(model, steps=20):
    env = Corridor()
    agent = Agent(*model)
    history, rewards = [], []
    state = env.reset()
    episode_reward = 0.0
    while len(history) < steps:
        action = agent.select_action(state)
        next_state, reward, done = env.step(action)
        episode_reward += reward
        agent.memory.push(state, action, next_state, reward, float(done))
        state = next_state
        if done:
            rewards.append(episode_reward)
            episode_reward = 0.0
            state = env.reset()
        if len(agent.memory) < BATCH_SIZE:
            continue

        history.append(agent.optimize_model())
        agent.soft_update()
        if len(history) % TARGET_UPDATE == 0:
            agent.hard_update()
            print(f"step {len(history)}: loss {history[-1]:.4f}, {len(rewards)} episodes")
    return history


if __name__ == "__main__":
    torch.manual_seed(0)
    train(build_model())
