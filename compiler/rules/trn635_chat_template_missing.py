"""TRN635: conversations without a template that can write them out.

Why: a new tokenizer brings none, and a file must be there and be Jinja: otherwise "Cannot use chat template functions because
tokenizer.chat_template is not set" is what the nodes say (unslothai/unsloth#2096).
Example:
  data chats { train = jsonl { path = "corpus/chats.jsonl" }, format = chat, holdout = 5%, sequence = 2048 }
  stage tuned = pretrain { data = chats, objective = sft }
Instead:
  data chats { train = jsonl { path = "corpus/chats.jsonl" }, format = chat, chat_template = plain, holdout = 5%, sequence = 2048 }
"""

from __future__ import annotations

from collections.abc import Iterator

from ..files import SpecFiles
from ..spec import Bpe, JinjaTemplate, StageSpec
from . import Finding


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Asks for a template where no tokenizer brings one."""
    if stage.data.format == "chat" and stage.data.chat_template is None and isinstance(stage.model.tokenizer, Bpe):
        yield Finding(
            at="data.format",
            message="conversations need a chat template, and the new tokenizer `bpe` brings none",
            help="set `chat_template = chatml`, or another",
        )


def check_files(stage: StageSpec, files: SpecFiles) -> Iterator[Finding]:
    """Reads a template of the user's own."""
    template = stage.data.chat_template
    if not isinstance(template, JinjaTemplate):
        return
    text = files.text(template.path)
    at = "data.chat_template.path"
    if text is None:
        yield Finding(at, f"no file `{template.path}` in the spec's folder", "a path is relative to the file it is written in")
    elif fault := _syntax_fault(text):
        yield Finding(at, f"`{template.path}` is no Jinja template: {fault}", "templates are what transformers' tokenizers take")


def _syntax_fault(text: str) -> str | None:
    # Few specs name a template, and the language of templates takes long to load.
    import jinja2
    from jinja2.ext import Extension, loopcontrols

    class Generation(Extension):
        """Transformers' own marks, as far as their syntax goes."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser):  # type: ignore[no-untyped-def]
            line = next(parser.stream).lineno
            return jinja2.nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True)).set_lineno(line)

    try:
        jinja2.Environment(extensions=[Generation, loopcontrols]).parse(text)
    except jinja2.TemplateSyntaxError as fault:
        return f"line {fault.lineno}: {(fault.message or '').partition('. ')[0]}"
    return None
