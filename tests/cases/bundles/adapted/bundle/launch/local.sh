#!/usr/bin/env bash
# Runs stages of spec on this machine: bash launch/local.sh [STAGE_FOLDER ...]
# Settings, all optional: PYTHON, TRAINC_DATA_ROOT (where data paths begin), TRAINC_RUN_DIR (for a single stage), TRAINC_RESUME=auto|never.
set -euo pipefail

bundle="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
runs="$PWD/runs/"spec
# Started inside the bundle, runs lie beside it: what a run writes is not part of what was compiled.
case "$PWD/" in "$bundle/"*) runs="$(dirname -- "$bundle")/runs/"spec ;; esac
asked="${TRAINC_RUN_DIR:-}"
export TRAINC_DATA_ROOT="${TRAINC_DATA_ROOT:-$PWD}"
cd -- "$bundle"
if [ "$#" -eq 0 ]; then
  set -- 10-first 20-tune
fi

for stage in "$@"; do
  case "$stage" in
    10-first) name=first nodes=1 processes=2 ;;
    20-tune) name=tune nodes=1 processes=2 ;;
    *) echo "no stage $stage in this bundle" >&2; exit 2 ;;
  esac
  if [ "$nodes" -ne 1 ]; then
    echo "stage $stage is planned for $nodes nodes: start launch/torchrun.sh on each of them" >&2
    exit 2
  fi
  export TRAINC_RUN_DIR="${asked:-$runs/$name}"
  export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$(( $(nproc) > processes ? $(nproc) / processes : 1 ))}"
  # Port 0: the rendezvous takes a free one, whatever MASTER_PORT another launch left in the environment.
  launch=(
    "${PYTHON:-python3}" -m torch.distributed.run --nnodes 1 --nproc-per-node "$processes"
    --rdzv-backend c10d --rdzv-endpoint localhost:0 --max-restarts 0 "stages/$stage/train.py"
  )
  # A single stage takes the shell's place, so that signals reach it.
  if [ "$#" -eq 1 ]; then
    exec "${launch[@]}"
  fi
  "${launch[@]}"
done
