# Training on a GPU. Built from the repository's root:
#
#   docker compose -f docker/train.compose.yml build
#   DATA=../shared/data docker compose -f docker/train.compose.yml run --rm train \
#       logic-export train export/recipes/compatibility-mpnet.toml --out /runs/mpnet
FROM pytorch/pytorch:2.13.0-cuda12.8-cudnn9-runtime

WORKDIR /project
COPY . .
# torch is in the image already; naming its version keeps pip from fetching another build of it
RUN pip install --no-cache-dir "torch==2.13.0" ".[cli,eval,train]"
ENV LOGIC_RETRIEVERS_DATA=/data
