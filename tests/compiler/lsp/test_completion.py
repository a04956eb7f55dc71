"""Completion by the type that is expected; `|` is the cursor, and the line it stands in is often half written."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pygls")

HEAD = """import std.gpus
import std.models.tiny
param length: extent = 300 steps
let width = 2
let share = 5%
cluster here { gpu = gpus.host, gpus_per_node = width }
mesh pair { cluster = here, dp_shard = width }
mesh single { cluster = here }
precision exact { compute = fp32 }
data corpus { train = python_stdlib, sequence = 256 }
stage base {
  model = tiny.llama_1m
  data = corpus
  mesh = pair
  batch { global = 16, micro = 4 }
  optimizer = adamw { lr = 1e-3 }
  duration = length
}
"""


def offered(editor: Any, text: str, head: str = HEAD) -> dict[str, dict[str, Any]]:
    """The items at the cursor, by label, in the order in which an editor shows them."""
    text = head + text
    document = editor.open("spec.train", text.replace("|", "", 1))
    before = text[: text.index("|")]
    position = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
    items = document.ask("completion", position)["items"]
    document.close()
    return {item["label"]: item for item in sorted(items, key=lambda item: item["sortText"])}


@pytest.mark.parametrize(
    ("text", "labels", "others"),
    [
        # Fields that the block lacks
        ("data d {\n  |\n}", ["sequence", "train"], ["batch"]),
        ("data d {\n  seq|\n  train = python_stdlib\n}", ["sequence", "seed"], ["train"]),
        ("data d { train = python_stdlib, s| }", ["sequence"], ["train"]),
        ("stage s = base { batch { micro = 2, | } }", ["global", "accumulation"], ["micro"]),
        ("stage s = base { optimizer { | } }", ["weight_decay", "lr"], []),
        ("stage s = base {\n  optimizer = adamw { lr = 1e-3, w| }\n}", ["weight_decay"], ["lr"]),
        ("stage s {\n  seed = 1\n  | \n", ["model", "optimizer"], ["seed"]),
        # Enum members, flags
        ("precision p { compute = | }", ["bf16", "fp32"], ["pair", "width"]),
        ("precision p {\n  compute = b|\n  params = fp32\n}", ["bf16"], []),
        ("gpu g = gpus.host { dtypes = [fp32, |] }", ["bf16", "fp8"], ["width"]),
        ("data d = corpus { shuffle = | }", ["true", "false"], ["width"]),
        ("assert exact.compute == |", ["bf16", "fp32"], []),
        ("assert | == exact.compute", ["bf16", "fp32"], []),
        ("precision p { assert compute == | }", ["bf16", "fp32"], []),
        # Variants
        ("stage s = base { optimizer = | }", ["adamw", "sgd"], ["cosine", "pair"]),
        ("stage s = base {\n  schedule = co|\n}", ["cosine", "constant"], ["adamw"]),
        ("data d { train = | }", ["text", "jsonl", "python_stdlib"], ["bpe"]),
        # Names of the right kind
        ("stage s = base { mesh = | }", ["pair", "single"], ["here", "corpus", "width"]),
        ("stage s = base { model = | }", ["tiny.llama_1m", "base.model", "tiny"], ["here", "gpus.h100_sxm"]),
        ("cluster c { gpu = | }", ["gpus.h100_sxm", "gpus.host"], ["here", "tiny.llama_1m"]),
        ("cluster c { gpu = gpus.| }", ["h100_sxm", "l4"], ["here"]),
        ("mesh third = |", ["pair", "single"], ["third", "here"]),
        ("stage s = base { duration = | }", ["length", "share"], ["width", "pair"]),
        ("mesh m { cluster = here, tp = | }", ["width", "max"], ["length", "share"]),
        # Members
        ("let n = here.|", ["nodes", "gpu"], ["micro"]),
        ("let n = here.gpu.m|", ["memory"], ["nodes"]),
        ("assert base.plan.|", ["peak_memory", "total_steps"], ["micro"]),
        ("assert base.|", ["plan", "batch"], []),
        ("assert base.plan.peak_memory_breakdown.|", ["activations", "logits"], ["peak_memory"]),
        ("cluster c = here {\n  assert |\n}", ["nodes", "here"], []),
        # Units
        ("gpu g { memory = 80 | }", ["GB", "GiB"], ["steps", "Gb/s"]),
        ("gpu g { memory = 80G| }", ["GB", "GiB"], ["steps"]),
        ("cluster c = here { inter_node = 400 | }", ["Gb/s", "GB/s"], ["GB"]),
        ("stage s = base { duration = 3 | }", ["epochs", "steps", "%"], ["GB"]),
        ("let n = 3 |", ["steps", "GB", "k"], []),
        # Tops of items
        ("|", ["cluster", "stage", "import", "let"], ["pair"]),
        ("clu|", ["cluster"], ["pair"]),
        ("param p: |", ["count", "bytes", "model"], ["pair"]),
        ("import std.|", ["std.gpus", "std.models.llama3"], ["cluster"]),
        ("import |", ["std.clusters"], ["cluster"]),
        ("let n = 1 # trainc: allow |", ["TRN303", "TRN701"], ["TRN201", "TRN001"]),
        ("let n = 1 # trainc: allow TRN303, TRN|", ["TRN702"], ["TRN201"]),
    ],
)
def test_what_fits_is_offered(editor: Any, text: str, labels: list[str], others: list[str]) -> None:
    found = offered(editor, text)
    assert set(labels) <= set(found)
    assert not set(others) & set(found)


@pytest.mark.parametrize("text", ["# a comment |", "mesh |", "let n|", "stage s = base { batch | }", 'let s = "a|"'])
def test_nothing_is_offered_where_nothing_fits(editor: Any, text: str) -> None:
    assert offered(editor, text) == {}


def test_the_standard_library_is_offered_before_it_is_imported(editor: Any) -> None:
    found = offered(editor, "import std.models.tiny\ncluster c { gpu = | }", head="")
    (edit,) = found["gpus.l4"]["additionalTextEdits"]
    assert (edit["newText"], edit["range"]["start"]) == ("\nimport std.gpus", {"line": 0, "character": 22})
    assert "additionalTextEdits" not in offered(editor, "cluster c { gpu = | }")["gpus.l4"]


def test_missing_required_fields_come_first(editor: Any) -> None:
    assert list(offered(editor, "cluster c {\n  |\n}"))[:2] == ["gpu", "gpus_per_node"]


def test_files_below_the_folder_are_offered_as_imports(editor: Any) -> None:
    (editor.folder / "parts").mkdir()
    (editor.folder / "parts" / "one.train").write_text("")
    found = offered(editor, 'import "|\n', head="")
    assert found["./parts/one.train"]["textEdit"]["newText"] == "./parts/one.train"
    assert list(offered(editor, 'import "./pa|"\n', head="")) == ["./parts/one.train"]


def test_a_broken_line_elsewhere_does_not_matter(editor: Any) -> None:
    assert "pair" in offered(editor, "let = = 3\ncluster x { gpu = }\nstage s = base {\n  mesh = |\n}\ndata {")


def test_without_snippets_plain_text_is_written(editor: Any) -> None:
    item = offered(editor, "data d {\n  seq|\n}")["sequence"]
    assert (item["textEdit"]["newText"], item["insertTextFormat"]) == ("sequence = ", 1)


def test_only_the_name_is_written_where_a_value_stands_already(editor: Any) -> None:
    assert offered(editor, "data d {\n  seq| = 5\n}")["sequence"]["textEdit"]["newText"] == "sequence"


def test_the_word_under_the_cursor_is_replaced_whole(editor: Any) -> None:
    item = offered(editor, "precision p { compute = bf|32 }")["bf16"]
    place = item["textEdit"]["range"]
    assert place["end"]["character"] - place["start"]["character"] == 4


SNIPPETS = {"textDocument": {"completion": {"completionItem": {"snippetSupport": True}}}}


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory, shared_editor: Any) -> Any:
    editor = type(shared_editor)(tmp_path_factory.mktemp("rich"), SNIPPETS)
    yield editor
    editor.kill()


@pytest.mark.parametrize(
    ("text", "label", "snippet"),
    [
        ("clu|", "cluster", "cluster ${1:name} {\n  gpu = $2\n  gpus_per_node = $3\n}"),
        ("stage s = base { optimizer = | }", "adamw", "adamw { lr = $1 }"),
        ("stage s = base { strategy = | }", "ddp", "ddp"),
        ("stage s = base { ev| }", "eval", "eval { every = $1 }"),
        ("precision p { comp| }", "compute", "compute = ${1|fp32,bf16,fp16,fp8|}"),
        ("data d { shuf| }", "shuffle", "shuffle = ${1|true,false|}"),
    ],
)
def test_snippets_hold_the_required_fields(rich: Any, text: str, label: str, snippet: str) -> None:
    assert offered(rich, text)[label]["textEdit"]["newText"] == snippet
