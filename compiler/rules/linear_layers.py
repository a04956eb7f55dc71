"""Families whose weights are mostly no `torch.nn.Linear`, which is what converters of matrices look for."""

# transformers' pytorch_utils.Conv1D holds GPT-2's matrices, one parameter all experts' of a layer.
WITHOUT_LINEAR = ("gpt2", "mixtral", "qwen3_moe", "deepseek_v3")
