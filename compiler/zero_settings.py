"""The settings of DeepSpeed for a stage, whole: what it does not find there, it would choose itself.

Key by key those of deepspeed 0.19 (deepspeed.runtime.config, deepspeed.runtime.zero.config); a test gives every file to its parser.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .families import family
from .planner.batch import BatchPlan
from .planner.layers import first_layer
from .spec import PrecisionSpec, StageSpec, Zero1, Zero2, Zero3

Plain = dict[str, Any]

BYTES = {"fp32": 4, "bf16": 2}
STAGES = {"zero1": 1, "zero2": 2, "zero3": 3}


@dataclass(frozen=True, slots=True)
class Setting:
    """What the settings follow from besides the strategy: no parameter has more elements than `largest`."""

    batch: BatchPlan
    precision: PrecisionSpec
    clip: float | None
    largest: int
    # Pinned host memory is what a GPU copies from; a CPU has no use for it.
    pinned: bool


def settings_json(stage: StageSpec, batch: BatchPlan) -> bytes | None:
    """The bytes of a stage's ds_config.json; None for strategies of torch's own."""
    if not isinstance(stage.strategy, Zero1 | Zero2 | Zero3):
        return None
    shape = stage.model.architecture
    model = family(shape.family)
    setting = Setting(
        batch=batch,
        precision=stage.precision,
        clip=stage.clip,
        largest=max(shape.vocab * shape.hidden, *(model.layer_parameters(layer) for layer in (first_layer(shape), shape))),
        pinned=stage.mesh.cluster.gpu.vendor in ("nvidia", "amd"),
    )
    return (json.dumps(zero_settings(stage.strategy, setting), indent=2, sort_keys=True) + "\n").encode()


def zero_settings(strategy: Zero1 | Zero2 | Zero3, setting: Setting) -> Plain:
    """The same as plain values. The optimizer and the schedule are not in it: they are handed over as objects."""
    batch = setting.batch
    found: Plain = {
        "train_batch_size": batch.global_size,
        "train_micro_batch_size_per_gpu": batch.micro,
        "gradient_accumulation_steps": batch.accumulation,
        # Zero switches clipping off.
        "gradient_clipping": setting.clip or 0.0,
        "prescale_gradients": False,
        "gradient_predivide_factor": 1.0,
        "communication_data_type": setting.precision.reduce,
        "data_types": {"grad_accum_dtype": "fp32"},
        "fp16": {"enabled": False},
        "bf16": {"enabled": setting.precision.compute == "bf16", "check_grad_overflow": True},
        "torch_autocast": {"enabled": False},
        "zero_allow_untested_optimizer": False,
        "zero_force_ds_cpu_optimizer": True,
        "wall_clock_breakdown": False,
        "zero_optimization": _zero(strategy, setting),
    }
    if isinstance(strategy, Zero3) and "nvme" in (strategy.offload_optimizer, strategy.offload_parameters):
        found["aio"] = AIO
    return found


# Asynchronous reads and writes: DeepSpeed's own defaults, in its words.
AIO: Plain = {
    "block_size": 1048576,
    "queue_depth": 8,
    "intra_op_parallelism": 1,
    "single_submit": False,
    "overlap_events": True,
    "use_gds": False,
}


def _zero(strategy: Zero1 | Zero2 | Zero3, setting: Setting) -> Plain:
    # Buckets count elements.
    common: Plain = {
        "stage": STAGES[strategy.variant],
        "reduce_bucket_size": strategy.bucket // BYTES[setting.precision.reduce],
        "contiguous_gradients": True,
        "reduce_scatter": True,
        "overlap_comm": True,
        "round_robin_gradients": False,
        "ignore_unused_parameters": True,
        "offload_optimizer": _offload(strategy.offload_optimizer, strategy, setting) | {"buffer_count": 4},
    }
    gathered = strategy.gather_bucket // BYTES[setting.precision.compute]
    if not isinstance(strategy, Zero3):
        return common | {"allgather_partitions": True, "allgather_bucket_size": gathered}
    return common | {
        "offload_param": _offload(strategy.offload_parameters, strategy, setting) | _buffers(setting),
        "sub_group_size": 10**9,
        "stage3_prefetch_bucket_size": gathered,
        "stage3_param_persistence_threshold": 10**5,
        "stage3_max_live_parameters": strategy.live_parameters,
        "stage3_max_reuse_distance": strategy.live_parameters,
        "stage3_gather_16bit_weights_on_model_save": False,
        "memory_efficient_linear": False,
        "zero_hpz_partition_size": strategy.hpz_partition,
        "zero_quantized_weights": strategy.quantized_weights,
        "zero_quantized_gradients": strategy.quantized_gradients,
    }


def _offload(device: str, strategy: Zero1 | Zero2 | Zero3, setting: Setting) -> Plain:
    where = {"nvme_path": strategy.nvme_path} if device == "nvme" else {}
    return {"device": device, "pin_memory": device != "none" and setting.pinned, **where}


def _buffers(setting: Setting) -> Plain:
    # A buffer must take the largest part that goes to disk.
    largest_part = -(-setting.largest // setting.batch.data_parallel)
    return {"buffer_count": 5, "buffer_size": max(10**8, -(-largest_part // 2**20) * 2**20), "max_in_cpu": 10**9}
