"""The worker for JAX written by hand: `python -m bench.worker_jax jit cpu|gpu THREADS`."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax

from bench.backend import Backend
from bench.models.jax_layers import LAYERS
from bench.models.jax_models import initial_state, load_input, load_weight, training_step
from bench.protocol import serve
from bench.specs import Layer, Spec


class JaxBackend(Backend):
    """A jitted training step whose state is donated, and JAX's own eager ops."""

    def versions(self) -> dict[str, str]:
        return {"framework": "jax", "version": jax.__version__, "device": jax.devices()[0].device_kind}

    def tensor(self, array: np.ndarray) -> jax.Array:
        return jnp.asarray(array)

    def wait(self, result: jax.Array) -> jax.Array:
        return jax.block_until_ready(result)

    def build(self, model: str, spec: Spec):
        compiled = training_step(model, spec.optimizer, spec.lr)
        batches = [(self.tensor(load_input(x)), self.tensor(y)) for x, y in spec.batches()]
        state = initial_state(spec.weights(), spec.optimizer)

        def step(i: int) -> jax.Array:
            nonlocal state
            state, loss = compiled(state, *batches[i % 2])
            return loss

        return step

    def build_layer(self, layer: Layer):
        x, weights = layer.arrays()
        x, weights = self.tensor(load_input(x)), [self.tensor(load_weight(w)) for w in weights]
        net = partial(LAYERS[layer.kind], **layer.options)
        step = jax.jit(jax.value_and_grad(lambda w, x: jnp.square(net(w, x)).mean(), argnums=(0, 1)))
        return lambda: step(weights, x)[0]

    def build_epochs(self, model: str, spec: Spec, x: np.ndarray, y: np.ndarray):
        compiled = training_step(model, spec.optimizer, spec.lr)
        state, size = initial_state(spec.weights(), spec.optimizer), spec.x[0]
        x = np.ascontiguousarray(load_input(x))

        def train(steps: int) -> jax.Array:
            nonlocal state
            for i in range(steps):
                rows = slice(i * size % len(x), i * size % len(x) + size)
                state, loss = compiled(state, x[rows], y[rows])
            return loss

        return train

    def build_optimizer(self, name: str, weights: list[np.ndarray], gradients: list[np.ndarray]):
        transform = {"adam": optax.adam(1e-3), "momentum": optax.sgd(1e-3, momentum=0.9)}[name]
        params, grads = ([self.tensor(value) for value in values] for values in (weights, gradients))
        slots = transform.init(params)

        @partial(jax.jit, donate_argnums=(0, 1))
        def step(params: list[jax.Array], slots: optax.OptState, grads: list[jax.Array]):
            updates, slots = transform.update(grads, slots, params)
            return optax.apply_updates(params, updates), slots

        def update() -> jax.Array:
            nonlocal params, slots
            params, slots = step(params, slots, grads)
            return params[0]

        return update


if __name__ == "__main__":
    serve(JaxBackend())
