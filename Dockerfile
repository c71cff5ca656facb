# CPU:   docker build -t sporax .
# CUDA:  docker build -t sporax --build-arg EXTRA=cuda12 .     (run with --gpus all; the packages bring CUDA)
FROM python:3.12-slim

ARG EXTRA=data

RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
COPY . /sporax
RUN pip install --no-cache-dir "/sporax[data,${EXTRA}]" && rm -rf /sporax
WORKDIR /work
ENTRYPOINT ["sporax"]
CMD ["check"]
