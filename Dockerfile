# CPU:   docker build -t sporax .
# CUDA:  docker build -t sporax --build-arg EXTRA=cuda12 .     (the packages bring CUDA; the host needs NVIDIA's container toolkit)
#
# docker run --rm sporax                                       # sporax check; with a GPU: docker run --rm --gpus all sporax
# docker run --rm --init -v "$PWD":/work -v sporax-cache:/cache sporax run train.py
FROM python:3.12-slim AS built

RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY .gitignore pyproject.toml hatch_build.py README.md LICENSE ./
COPY sporax sporax
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim

ARG EXTRA=data

COPY --from=built /wheels /wheels
RUN pip install --no-cache-dir --root-user-action=ignore "$(echo /wheels/*.whl)[data,${EXTRA}]" && rm -r /wheels
# Compiled graphs: a volume at /cache keeps them. The user who runs first owns the folder `xla` in it; sporax uses no other user's.
ENV SPORAX_CACHE_DIR=/cache/xla
RUN mkdir -m 1777 /cache
WORKDIR /work
ENTRYPOINT ["sporax"]
CMD ["check"]
