"""What the grammars of editors are held to: every spec of this repository, generated ones, and broken ones."""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from trainc.dsl import ast
from trainc.dsl.lexer import lex
from trainc.dsl.parser import parse
from trainc.dsl.source import Source
from trees import NOWHERE, items
from unparse import unparse

ROOT = Path(__file__).parents[2]
CORPUS = sorted(path for folder in ("examples", "stdlib", "tests") for path in (ROOT / folder).rglob("*.train"))
GENERATED = 300
MUTATIONS = 10
ARRANGED = 2000

# What the corpus has little of, a file for each: first what is read, then what is refused.
READ = (
    "",
    "\n\n# only a comment\n",
    "\ufefflet x = 1\n",
    "let x = 80 GB/size\nlet y = 15T tokens\nlet z = 2h30min\nlet a = 4 M  samples\nlet b = 10 % 3\nlet c = 3%\n",
    'import std.if.as as as\nimport as\nimport "./x.train" as import\nparam param: [count] = [1,\n 2]\nlet let = as + import\n',
    "mesh m { if = then_.else, then { in = 1 }, assert = 2\n\n not = x.false }\n",
    'mesh m { assert { a = 1 }\n assert not as(1) in [a\n] else "x" }\n',
    "let x = (a.\nif) + (b. # c\n\n  not)\n",
    'let s = "a${ max("b${c}", 1) + x { y = "}" }.z }d$e\\u{1F600}\\n"\n',
    'let s = """\n  several ""quoted"" lines with ${\n  a +\n  b.\n  if }\n\n  # no comment"""\n',
    'let s = "${ """over\nlines""" }"\n',
    "let a = (1 # one\n + # plus\n 2)[0\n]{ b = 1 }\r\nlet c = -\t-1\r\n",
    "stage s = a { b { c = 1,\n\n d = 2, # e\n }\n\n # f\n}\n",
    '## doc\n### no doc\nmodel a = b # trainc: allow TRN204 -- reason\nassert a.b < 1 and not c or d == e else "${f}"\n',
    "let x = [2\n] + (if a then 2 # c\n\nelse 2\n%3)\n",
    "let x = [if\nlet then b else c]\n",
    "let x = [] {}\nlet y = if a then b else if c then d else e\nlet z = a not in b\n",
    f"let x = {'[' * 64}{']' * 64}\n",
)
REFUSED = (
    "let é = 1\n",
    "let x = 5 sam\nlet y = 80GX\nlet z = 2else\n",
    "let x = [2\nGB]\n",
    "let x = [2 # c\n GB]\n",
    "mesh m\n{ a = 1 }\n",
    "mesh\nm { a = 1 }\n",
    "let x = 1 < 2 < 3\n",
    "let if = 3\n",
    "if x { a = 1 }\n",
    'let x = "a\nlet y = 1\n',
    'let x = "${a\n}"\n',
    'import "${a}"\n',
    'let x = "\\u{D800}\\q"\n',
    "mesh m { a = 1,, b = 2 }\n",
    "mesh m { a: 1 }\n",
    f"let x = {'[' * 65}{']' * 65}\n",
)


def load(path: Path) -> ModuleType:
    """A module of another folder of tests by its file."""
    spec = importlib.util.spec_from_file_location(f"borrowed_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up while they are made.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _generated() -> list[str]:
    """Files that hypothesis makes of all forms of the syntax tree, the same ones each time."""
    made: dict[str, None] = {}

    @settings(
        max_examples=GENERATED,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(items, min_size=1, max_size=6).map(tuple))
    def collect(nodes: tuple[ast.Item, ...]) -> None:
        made[unparse(ast.File(NOWHERE.source, nodes, ()))] = None

    collect()
    return list(made)


def _mutations(text: str, seed: int) -> Iterator[str]:
    """The text with a token left out, doubled, or changed with another, or with a piece of syntax put in."""
    rng = random.Random(seed)
    tokens = [token for token in lex(Source("t", text)).tokens if token[1] < token[2]]
    pieces = ["\n", ",", "{", "}", "[", "]", "(", ")", '"', "${", "# c\n", " = ", ":", "if ", "not ", "1 GB", "'", ";", ".", '"""']
    for _ in range(MUTATIONS if tokens else 0):
        _, start, end = rng.choice(tokens)
        _, other_start, other_end = rng.choice(tokens)
        put_in = rng.choice(["", text[start:end] * 2, text[other_start:other_end], rng.choice(pieces)])
        yield text[:start] + put_in + text[end if rng.random() < 0.7 else start :]


def _laid_out(texts: dict[str, str]) -> dict[str, str]:
    """The texts that can be read, with other line ends, blanks and comments wherever the language takes them."""
    scribbler = load(ROOT / "tests" / "dsl" / "test_formatter_properties.py").Scribbler
    readable = {name: text for name, text in texts.items() if not parse(Source("t", text)).findings}
    return {f"{name}, laid out": scribbler(text, seed).scribbled() for seed, (name, text) in enumerate(readable.items())}


def _arranged() -> list[str]:
    """Pieces of syntax in any order: nearly all of them are refused, and none may be read otherwise than by the compiler."""
    rng = random.Random(1)
    pieces = [
        *load(ROOT / "tests" / "dsl" / "test_robustness.py").PIECES,
        "a",
        ".b",
        " { ",
        "}\n",
        "1 GB",
        "# c\n",
        "x = ",
        '"t"',
        " or ",
    ]
    heads = ("", "let x = ", "mesh m { a = ")
    return [rng.choice(heads) + "".join(rng.choices(pieces, k=rng.randint(1, 10))) for _ in range(ARRANGED)]


@pytest.fixture(scope="session")
def texts() -> dict[str, str]:
    """Every text by a name: the specs of this repository, corners, generated files, other layouts, broken ones, arrangements."""
    found = {str(path.relative_to(ROOT)): path.read_bytes().decode() for path in CORPUS}
    found |= {f"corner {index}": text for index, text in enumerate((*READ, *REFUSED))}
    found |= {f"generated {index}": text for index, text in enumerate(_generated())}
    found |= _laid_out(found)
    arranged = {f"arranged {index}": text for index, text in enumerate(_arranged())}
    mutated = {
        f"{name}, mutation {index}": text for name, base in found.items() for index, text in enumerate(_mutations(base, len(base)))
    }
    return found | mutated | arranged


@pytest.fixture(scope="session")
def corners() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts that are read, and those that are refused."""
    return READ, REFUSED
