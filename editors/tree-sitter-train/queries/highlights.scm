; Made by editors/generate.py; the words come from the schema. Of several patterns that match, the last is meant.

(identifier) @variable
(comment) @comment
((comment) @comment.documentation (#match? @comment.documentation "^##([^#]|$)"))

(import "import" @keyword.import)
(import "as" @keyword.import)
(import_path (identifier) @module)
(import alias: (identifier) @module)
(param "param" @keyword)
(param name: (identifier) @variable.parameter)
(param_type (identifier) @type)
(let "let" @keyword)
(let name: (identifier) @constant)
(declaration kind: (identifier) @type)
((declaration kind: (identifier) @keyword.type)
  (#any-of? @keyword.type "cluster" "data" "gpu" "mesh" "model" "pipeline" "precision" "stage" "target"))
(declaration name: (identifier) @type.definition)
(assertion "assert" @keyword)
(assertion "else" @keyword.conditional)

(field name: (identifier) @property)
(member name: (identifier) @property)
(reference (identifier) @variable)
((reference (identifier) @constructor)
  (#any-of? @constructor "adafactor" "adamw" "adamw8bit" "bottleneck" "bpe" "causal" "chatml" "constant" "cosine" "ddp" "distill" "dora" "dpo" "fsdp2" "generated" "grpo" "hf" "ia3" "jinja" "jsonl" "linear" "lion" "llama3" "local" "lora" "muon" "parquet" "plain" "prefix" "pretrained" "prompt" "python_stdlib" "random" "reward" "sft" "sgd" "stage_output" "synthetic" "text" "tokens" "wsd" "yarn" "zero1" "zero2" "zero3"))
((reference (identifier) @constant.builtin)
  (#any-of? @constant.builtin "all_linear" "amd" "any" "auto" "bf16" "blockwise" "chat" "completion" "cpu" "deepseek_v3" "default" "down" "dualpipe_v" "dynamic" "eager" "flash" "flex" "fp16" "fp32" "fp8" "full" "gate" "gate_up" "gaussian" "gelu" "gelu_new" "gelu_tanh" "gemma" "gemma2" "gpipe" "gpt2" "gpt_neox" "int8" "interleaved" "k" "kaiming" "llama" "match_rms_adamw" "max_autotune" "mistral" "mixtral" "never" "nf4" "none" "nvidia" "nvme" "o" "olora" "one_f_one_b" "original" "phi3" "pissa" "preference" "q" "qkv" "qwen2" "qwen3" "qwen3_moe" "reduce_overhead" "ring" "rowwise" "safetensors" "sdpa" "selective" "silu" "skip" "stop" "tensorwise" "truncate" "ulysses" "up" "v" "zbv" "zero_bubble"))
(call function: (identifier) @function)
((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin "abs" "ceil" "floor" "gcd" "len" "max" "min" "mod" "round" "sum"))

(conditional ["if" "then" "else"] @keyword.conditional)
(boolean) @boolean
(digits) @number
(unit) @type.builtin
(string) @string
(escape) @string.escape
(interpolation ["${" "}"] @punctuation.special)

["and" "or" "not" "in"] @keyword.operator
["=" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "//" "%"] @operator
["{" "}" "[" "]" "(" ")"] @punctuation.bracket
["," "." ":"] @punctuation.delimiter
