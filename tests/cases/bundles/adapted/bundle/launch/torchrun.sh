#!/usr/bin/env bash
# Runs a stage of spec on several nodes. Start on each node, with the same MASTER_ADDR:
#   MASTER_ADDR=FIRST_NODE bash launch/torchrun.sh STAGE_FOLDER
# Settings: MASTER_ADDR (needed), MASTER_PORT, PYTHON, TRAINC_DATA_ROOT, TRAINC_RUN_DIR (a folder that every node sees), TRAINC_RESUME.
set -euo pipefail

: "${MASTER_ADDR:?set MASTER_ADDR to the host name of the first node}"
stage="${1:?name a stage: 10-first 20-tune}"
bundle="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
runs="$PWD/runs/"spec
# Started inside the bundle, runs lie beside it: what a run writes is not part of what was compiled.
case "$PWD/" in "$bundle/"*) runs="$(dirname -- "$bundle")/runs/"spec ;; esac
export TRAINC_DATA_ROOT="${TRAINC_DATA_ROOT:-$PWD}"
cd -- "$bundle"

case "$stage" in
  10-first) name=first nodes=1 processes=2 ;;
  20-tune) name=tune nodes=1 processes=2 ;;
  *) echo "no stage $stage in this bundle" >&2; exit 2 ;;
esac
export TRAINC_RUN_DIR="${TRAINC_RUN_DIR:-$runs/$name}"
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$(( $(nproc) > processes ? $(nproc) / processes : 1 ))}"
# The first node hosts the store; the id keeps two launches on one port apart.
exec "${PYTHON:-python3}" -m torch.distributed.run --nnodes "$nodes" --nproc-per-node "$processes" \
  --rdzv-backend c10d --rdzv-endpoint "$MASTER_ADDR:${MASTER_PORT:-29500}" --rdzv-id spec"-$stage" \
  --max-restarts 0 "stages/$stage/train.py"
