"""What is learnt of prompts with completions and of conversations, token by token."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tokenizers.processors import TemplateProcessing
from trainc.runtime.data import formats, tokenizer
from trainc.runtime.data.broken import BrokenRowError
from trainc.runtime.data.encoding import Encoded, encoded
from trainc.runtime.data.formats import FORMATS, Document, Template
from trainc.runtime.data.templates import markers, template_of, turn_end
from trainc.runtime.errors import StageError
from trainc.runtime.planfile import RunData, RunSource, RunTokenizer

TEMPLATES = Path(__file__).resolve().parents[2] / "stdlib" / "templates"
COLUMNS = {"prompt": "prompt", "completion": "completion", "messages": "messages"}
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Two and two?"},
    {"role": "assistant", "content": "Four."},
    {"role": "user", "content": "And two?"},
    {"role": "assistant", "content": "Six, caf\u00e9 \U0001f600."},
]
SOURCES = {name: (TEMPLATES / f"{name}.jinja").read_text() for name in ("chatml", "llama3", "plain")}
MARKS = [mark for text in SOURCES.values() for mark in markers(text)]
MADE = tokenizer.train(RunTokenizer("bpe", 300, None), iter(["user assistant two and two"]), MARKS)


def template(source: str, completions_only: bool = True) -> Template:
    return Template(source, {"bos_token": MADE.bos_token, "eos_token": MADE.eos_token}, completions_only)


def tokens(document: Document) -> Encoded:
    ((_, found),) = encoded(MADE, iter([("row 1", document)]))
    return found


def learnt(document: Document) -> str:
    """The text of the tokens that are targets."""
    found = tokens(document)
    return str(MADE.decode(found.tokens[found.learnt]))


def read(format_: str, **values: Any) -> Any:
    return FORMATS[format_].read(values, COLUMNS)


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        ("chatml", "Four.<|im_end|>Six, caf\u00e9 \U0001f600.<|im_end|>"),
        ("llama3", "Four.<|eot_id|>Six, caf\u00e9 \U0001f600.<|eot_id|>"),
        ("plain", " Four.<|endoftext|> Six, caf\u00e9 \U0001f600.<|endoftext|>"),
    ],
)
def test_answers_are_learnt_and_the_tokens_that_end_them(name: str, answers: str) -> None:
    assert learnt(FORMATS["chat"].document(read("chat", messages=CHAT), template(SOURCES[name]))) == answers


@pytest.mark.parametrize(("name", "end"), [("chatml", "<|im_end|>"), ("llama3", "<|eot_id|>"), ("plain", "<|endoftext|>")])
def test_the_token_that_ends_an_answer_is_found(name: str, end: str) -> None:
    assert MADE.convert_ids_to_tokens(turn_end(template(SOURCES[name]), MADE)) == end


def test_a_template_may_end_answers_by_no_token() -> None:
    assert turn_end(template("{% for m in messages %}{{ m.content }}\n{% endfor %}"), MADE) is None
    assert turn_end(template("{{ raise_exception('no') }}"), MADE) is None


def test_the_templates_marks_say_what_is_learnt() -> None:
    source = (
        "{% for m in messages %}{% if m.role == 'assistant' %}<|im_start|>{% generation %}{{ m.content }}{% endgeneration %}"
        "{% else %}{{ m.content }}{% endif %}{% endfor %}"
    )
    assert learnt(FORMATS["chat"].document(read("chat", messages=CHAT), template(source))) == "Four.Six, caf\u00e9 \U0001f600."


def test_a_conversation_may_be_learnt_whole() -> None:
    document = FORMATS["chat"].document(read("chat", messages=CHAT), template(SOURCES["chatml"], completions_only=False))
    assert tokens(document).learnt.all()
    assert document.text.startswith("<|im_start|>system\nBe brief.<|im_end|>")


def test_sharegpts_words_mean_the_same() -> None:
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Yes"}]
    assert read("chat", messages=turns) == [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes"}]


def test_a_completion_is_learnt_with_the_end_of_the_text() -> None:
    document = FORMATS["completion"].document(read("completion", prompt="Up?", completion=" Down."), template(""))
    assert learnt(document) == " Down.<|endoftext|>"
    assert MADE.decode(tokens(document).tokens) == "Up? Down.<|endoftext|>"


def test_prompts_may_be_learnt_too() -> None:
    document = FORMATS["completion"].document(["Up?", " Down."], template("", completions_only=False))
    assert tokens(document).learnt.all()


def test_a_token_that_reaches_into_the_prompt_is_not_learnt() -> None:
    made = tokenizer.train(RunTokenizer("bpe", 300, None), iter(["abab abab abab"] * 9))
    ((_, found),) = encoded(made, iter([("", Document("ab", ((1, 2),)))]))
    assert made.convert_ids_to_tokens(found.tokens.tolist()) == ["ab", "<|endoftext|>"]
    assert found.learnt.tolist() == [False, True]


@pytest.mark.parametrize("single", ["<s> $A", "<s> $A <|endoftext|>"])
def test_a_completion_begins_as_its_tokenizer_begins_texts(single: str) -> None:
    made = tokenizer.train(RunTokenizer("bpe", 300, None), iter(["up down"]), ["<s>"])
    begin, end = made.convert_tokens_to_ids(["<s>", "<|endoftext|>"])
    made.backend_tokenizer.post_processor = TemplateProcessing(
        single=single, special_tokens=[("<s>", begin), ("<|endoftext|>", end)]
    )
    ((_, found),) = encoded(made, iter([("", FORMATS["completion"].document(["up", " down"], template("")))]))
    assert made.decode(found.tokens) == "<s>up down<|endoftext|>"
    assert made.decode(found.tokens[found.learnt]) == " down<|endoftext|>"
    ((_, whole),) = encoded(made, iter([("", Document("up"))]))
    assert made.decode(whole.tokens) == "up<|endoftext|>"


def test_a_template_that_rewrites_earlier_turns_is_refused() -> None:
    source = "{% for m in messages %}{% if loop.last %}last: {% endif %}{{ m.content }}\n{% endfor %}"
    with pytest.raises(BrokenRowError, match="writes message 2 otherwise once others follow"):
        FORMATS["chat"].document(CHAT, template(source))


def test_what_a_template_refuses_is_told() -> None:
    with pytest.raises(BrokenRowError, match="does not fit the chat template: no system message"):
        FORMATS["chat"].document(CHAT, template("{{ raise_exception('no system message') }}"))


@pytest.mark.parametrize(
    ("format_", "values", "message"),
    [
        ("completion", {"prompt": "Up?"}, "has no column `completion`: it has `prompt`"),
        ("completion", {"prompt": "Up?", "completion": ""}, "column `completion` is empty"),
        ("completion", {"prompt": 3, "completion": "x"}, "column `prompt` holds 3, not text"),
        ("chat", {"messages": []}, "column `messages` holds \\[\\], not a list of messages"),
        ("chat", {"messages": ["Hi"]}, "message 0 of `messages` is 'Hi', which has no role"),
        ("chat", {"messages": [{"role": "user", "content": None}]}, "message 0 of `messages` holds None, not text"),
    ],
)
def test_rows_of_no_use_are_told(format_: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(BrokenRowError, match=message):
        read(format_, **values)


def test_copies_say_the_same() -> None:
    turned = [{"content": turn["content"], "role": turn["role"]} for turn in CHAT]
    assert formats.said(read("chat", messages=CHAT)) == formats.said(turned)


def chats() -> RunData:
    tokens = RunTokenizer("bpe", 300, None)
    where = {"train": RunSource("jsonl", "x", None), "evaluation": None, "holdout": 0.0, "tokenizer": tokens}
    sizes = {"sequence": 8, "shuffle": True, "seed": 0, "workers": 0, "packing": False, "overlong": "stop", "broken": "stop"}
    return RunData(**where, **sizes, format="chat", columns=COLUMNS, chat_template=None, completions_only=True)


def test_special_tokens_that_the_tokenizer_does_not_know_are_refused() -> None:
    other = tokenizer.train(RunTokenizer("bpe", 300, None), iter(["a"]))
    with pytest.raises(StageError, match=r"writes <\|im_end\|>, <\|im_start\|>, which the tokenizer does not know"):
        template_of(chats(), other, SOURCES["chatml"])
    assert template_of(chats(), MADE, SOURCES["chatml"]).source == SOURCES["chatml"]


def test_a_tokenizer_without_template_is_refused() -> None:
    with pytest.raises(StageError, match="brings no chat template"):
        template_of(chats(), MADE, None)
