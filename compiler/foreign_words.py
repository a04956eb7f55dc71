"""What fields of other training systems are called here: their names come with the people who know them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Own:
    """The field that a foreign name means, and an example where its value is written otherwise too."""

    field: str
    example: str | None = None


# Names as transformers, axolotl, torchtitan, Megatron-LM and DeepSpeed spell them; each means the first field that the record has.
_SAME = {
    "lr": "learning_rate peak_lr",
    "eps": "epsilon adam_epsilon adam_eps",
    "betas": "adam_betas",
    "rank": "r lora_r lora_rank lora_dim",
    "alpha": "lora_alpha",
    "targets": "target_modules lora_target_modules lora_target",
    "repository": "repo repo_id model_id",
    "path": "file files data_files dataset_path",
    "column": "text_column text_field field_name dataset_text_field",
    "sequence": "max_length seq_len seq_length sequence_len sequence_length max_seq_length max_seq_len cutoff_len block_size",
    "packing": "sample_packing",
    "workers": "num_workers dataloader_num_workers",
    "tp": "tensor_parallel tensor_parallel_degree tensor_parallel_size tensor_model_parallel_size tp_size",
    "pp": "pipeline_parallel pipeline_parallel_degree pipeline_parallel_size pipeline_model_parallel_size pp_size",
    "cp": "context_parallel context_parallel_degree context_parallel_size cp_size",
    "ep": "expert_parallel expert_parallel_degree expert_model_parallel_size ep_size",
    "dp_shard": "data_parallel_shard_degree dp_shard_size fsdp_size",
    "dp_replicate": "data_parallel_replicate_degree dp_replicate_size",
    "global": "global_batch_size train_batch_size",
    "micro": "micro_batch_size per_device_train_batch_size local_batch_size",
    "accumulation": "gradient_accumulation_steps gradient_accumulation grad_accum",
    "layers": "num_hidden_layers num_layers n_layers n_layer",
    "hidden": "hidden_size dim n_embd d_model",
    "ffn": "intermediate_size ffn_hidden_size",
    "heads": "num_attention_heads n_heads n_head",
    "kv_heads": "num_key_value_heads n_kv_heads num_query_groups",
    "experts": "n_routed_experts num_experts num_local_experts",
    "experts_per_token": "num_experts_per_tok",
    "expert_ffn": "moe_intermediate_size",
    "shared_experts": "n_shared_experts",
    "vocab": "vocab_size",
    "max_sequence": "max_position_embeddings",
    "tied_embeddings": "tie_word_embeddings",
    "norm_epsilon": "rms_norm_eps norm_eps",
    "attention": "attn_implementation",
    "compute": "dtype mixed_precision mixed_precision_param",
    "params": "param_dtype",
    "reduce": "reduce_dtype mixed_precision_reduce",
    "fp8_recipe": "recipe_name float8_recipe",
    "recompute_every": "every_n_layers",
    "compile": "torch_compile",
    "compile_mode": "torch_compile_mode",
    "keep": "save_total_limit keep_latest_k",
    "clip": "max_grad_norm max_norm gradient_clipping clip_grad",
}
_OTHERWISE = {
    "warmup = 3%": "warmup_steps num_warmup_steps warmup_ratio lr_warmup_iters",
    "floor = 10%": "min_lr min_lr_ratio min_lr_factor",
    "holdout = 5%": "val_set_size val_size test_size eval_split",
    "every = 100 steps": "save_steps save_interval eval_steps eval_interval logging_steps log_freq",
    "dp_shard = 8": "dp dp_size data_parallel data_parallel_size",
    "optimizer = adamw { lr = 3e-4 }": "learning_rate lr peak_lr weight_decay adam_beta1 adam_beta2",
    "schedule = cosine { warmup = 3% }": "warmup_steps warmup_ratio lr_scheduler_type lr_scheduler warmup",
    "duration = 1000 steps": "max_steps train_iters training_steps steps",
    "duration = 3 epochs": "num_epochs num_train_epochs epochs",
    "recompute = full": "gradient_checkpointing activation_checkpointing activation_checkpoint recompute_granularity",
    "batch { global = 64, micro = 2 }": "micro_batch_size global_batch_size per_device_train_batch_size"
    " gradient_accumulation_steps",
    "checkpoint { every = 100 steps }": "save_steps save_interval save_total_limit",
    "eval { every = 100 steps }": "eval_steps eval_interval",
    "logging { every = 10 steps }": "logging_steps log_freq log_interval",
    "strategy = fsdp2": "fsdp deepspeed distributed_strategy",
}


def own_field(name: str, fields: Collection[str]) -> Own | None:
    """The field, of those that a record has, that a name of another system means."""
    for field, names in _SAME.items():
        if field in fields and name in names.split():
            return Own(field)
    for example, names in _OTHERWISE.items():
        field = example.split()[0]
        if field in fields and name in names.split():
            return Own(field, example)
    return None
