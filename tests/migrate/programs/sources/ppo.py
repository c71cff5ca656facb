"""Proximal policy optimisation of a cart that must stay near the middle: one net with two heads, GAE, clipped ratios."""

import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions.categorical import Categorical


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--learning-rate", type=float, default=1e-2, help="the learning rate of the optimizer")
    parser.add_argument("--num-steps", type=int, default=32, help="the number of steps to run in each rollout")
    parser.add_argument("--gamma", type=float, default=0.97, help="the discount factor gamma")
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--num-minibatches", type=int, default=2)
    parser.add_argument("--update-epochs", type=int, default=2)
    parser.add_argument("--clip-coef", type=float, default=0.2, help="the surrogate clipping coefficient")
    parser.add_argument("--clip-vloss", type=bool, default=True)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    parser.add_argument("--vf-coef", type=float, default=0.5)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    args = parser.parse_args(argv)
    args.minibatch_size = args.num_steps // args.num_minibatches
    return args


class Cart:
    """A cart on a line, pushed to either side; the reward is how near the middle it is."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.state = self.rng.uniform(-0.5, 0.5, 2)
        self.age = 0
        return self.state.astype(np.float32)

    def step(self, action):
        position, velocity = self.state
        velocity += 0.2 * (action - 1) + 0.02 * self.rng.standard_normal()
        position += 0.2 * velocity
        self.state = np.array([position, velocity])
        self.age += 1
        done = abs(position) > 1.0 or self.age >= 25
        observation = self.reset() if done else self.state.astype(np.float32)
        return observation, 1.0 - abs(position), done


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(2, 16)),
            nn.Tanh(),
            layer_init(nn.Linear(16, 1), std=1.0),
        )
        self.actor = nn.Sequential(
            layer_init(nn.Linear(2, 16)),
            nn.Tanh(),
            layer_init(nn.Linear(16, 3), std=0.01),
        )

    def get_value(self, x):
        return self.critic(x)

    def get_action(self, x, uniform):
        """The action that a draw from 0 to 1 chooses, its log-probability, and the value."""
        probs = Categorical(logits=self.actor(x))
        action = (probs.probs.cumsum(-1) < uniform).sum(-1).clamp(max=2)
        return action, probs.log_prob(action), self.critic(x)

    def evaluate(self, x, action):
        probs = Categorical(logits=self.actor(x))
        return probs.log_prob(action), probs.entropy(), self.critic(x)


def build_model():
    return Agent()


def example_inputs():
    rng = np.random.default_rng(1)
    states = rng.standard_normal((6, 2)).astype(np.float32)
    actions = rng.integers(0, 3, 6)
    advantages = rng.standard_normal(6).astype(np.float32)
    return torch.Tensor(states), torch.from_numpy(actions), torch.Tensor(advantages)


def predict(model, inputs):
    states, actions, _ = inputs
    return model.evaluate(states, actions)


def forward_loss(model, inputs):
    states, actions, advantages = inputs
    log_prob, entropy, value = model.evaluate(states, actions)
    return -(log_prob * advantages).mean() - 0.01 * entropy.mean() + 0.5 * (value.view(-1) - advantages).pow(2).mean()


def compute_gae(rewards, values, dones, next_value, gamma, gae_lambda):
    """Generalised advantage estimation, backwards through the rollout."""
    num_steps = rewards.size(0)
    advantages = torch.zeros_like(rewards)
    lastgaelam = 0.0
    for t in reversed(range(num_steps)):
        nextvalue = next_value if t == num_steps - 1 else values[t + 1]
        delta = rewards[t] + gamma * nextvalue * (1.0 - dones[t]) - values[t]
        advantages[t] = lastgaelam = delta + gamma * gae_lambda * (1.0 - dones[t]) * lastgaelam
    return advantages, advantages + values


def train(model, steps=20, args=None):
    args = args or parse_args([])
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent = model.to(device)
    optimizer = optim.Adam(
        [
            {"params": agent.actor.parameters(), "lr": args.learning_rate},
            {"params": agent.critic.parameters(), "lr": 2 * args.learning_rate},
        ],
        eps=1e-5,
    )
    rng = np.random.default_rng(0)
    env = Cart()

    # ALGO Logic: Storage setup
    obs = torch.zeros((args.num_steps, 2)).to(device)
    actions = torch.zeros(args.num_steps, dtype=torch.long).to(device)
    logprobs = torch.zeros(args.num_steps).to(device)
    rewards = torch.zeros(args.num_steps).to(device)
    dones = torch.zeros(args.num_steps).to(device)
    values = torch.zeros(args.num_steps).to(device)

    history = []
    next_obs = torch.Tensor(env.reset()).to(device)
    while len(history) < steps:
        for step in range(args.num_steps):
            obs[step] = next_obs
            # ALGO LOGIC: action logic
            with torch.no_grad():
                action, logprob, value = agent.get_action(next_obs, rng.random())
                values[step] = value.flatten()[0]
            actions[step] = action
            logprobs[step] = logprob

            # TRY NOT TO MODIFY: execute the game and log data.
            next_state, reward, done = env.step(action.item())
            rewards[step] = reward
            dones[step] = float(done)
            next_obs = torch.Tensor(next_state).to(device)

        # bootstrap value if not done
        with torch.no_grad():
            next_value = agent.get_value(next_obs).reshape(-1)[0]
            advantages, returns = compute_gae(rewards, values, dones, next_value, args.gamma, args.gae_lambda)

        # Optimizing the policy and value network
        b_inds = np.arange(args.num_steps)
        clipfracs = []
        for _ in range(args.update_epochs):
            rng.shuffle(b_inds)
            for start in range(0, args.num_steps, args.minibatch_size):
                mb_inds = torch.from_numpy(b_inds[start : start + args.minibatch_size])
                newlogprob, entropy, newvalue = agent.evaluate(obs[mb_inds], actions[mb_inds])
                logratio = newlogprob - logprobs[mb_inds]
                ratio = logratio.exp()

                with torch.no_grad():
                    # calculate approx_kl http://joschu.net/blog/kl-approx.html
                    approx_kl = ((ratio - 1) - logratio).mean()
                    clipfracs += [((ratio - 1.0).abs() > args.clip_coef).float().mean().item()]

                mb_advantages = advantages[mb_inds]
                mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)

                # Policy loss
                pg_loss1 = -mb_advantages * ratio
                pg_loss2 = -mb_advantages * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                pg_loss = torch.max(pg_loss1, pg_loss2).mean()

                # Value loss
                newvalue = newvalue.view(-1)
                v_loss_unclipped = (newvalue - returns[mb_inds]) ** 2
                if args.clip_vloss:
                    v_clipped = values[mb_inds] + torch.clamp(
                        newvalue - values[mb_inds], -args.clip_coef, args.clip_coef
                    )
                    v_loss_clipped = (v_clipped - returns[mb_inds]) ** 2
                    v_loss = 0.5 * torch.max(v_loss_unclipped, v_loss_clipped).mean()
                else:
                    v_loss = 0.5 * v_loss_unclipped.mean()

                entropy_loss = entropy.mean()
                loss = pg_loss - args.ent_coef * entropy_loss + v_loss * args.vf_coef

                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
                history.append(loss.item())
        print(f"kl {approx_kl.item():.5f} clipped {np.mean(clipfracs):.3f} reward {rewards.mean().item():.3f}")
    return history[:steps]


if __name__ == "__main__":
    torch.manual_seed(1)
    train(build_model(), args=parse_args())
