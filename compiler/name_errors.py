"""What can be wrong with names: unknown, declared twice, defined in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from trainc.dsl import ast
from trainc.dsl.diagnostics import Diagnostic, Edit, Fix, Related, error
from trainc.dsl.source import Span
from trainc.dsl.suggest import certain, closest

if TYPE_CHECKING:
    from .foreign_words import Own

# Words of Python, YAML and PyTorch that mean one thing here.
_TRUTHS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_EMPTY = {"None": "none", "null": "none"}
_CHOICES = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "float32": "fp32",
    "half": "fp16",
    "flash_attention_2": "flash",
    "flash_attention": "flash",
    "flash_attn": "flash",
    "flash_attn_2": "flash",
    **{f"{matrix}_proj": matrix for matrix in ("q", "k", "v", "o", "gate", "up", "down")},
}
_TYPES = {"int": "count", "integer": "count", "float": "number", "double": "number", "str": "string", "boolean": "bool"}
_FUNCTIONS = {"maximum": "max", "minimum": "min", "length": "len"}


def unknown_name(name: str, span: Span, candidates: Iterable[str], module: str | None = None) -> Diagnostic:
    """TRN101: a name is not declared.

    Why: a misspelt name would otherwise leave a setting at a value that nobody chose; templates that put nothing in its place are
    found out on the hosts, when the service is down (ansible/ansible#2654).
    Example: mesh m = wide { cluster = prodd }
    Instead: mesh m = wide { cluster = prod }
    """
    if module is not None:
        return error("TRN101", f"no name `{name}` here", span, help=f"add `import {module}` at the top of the file")
    candidates = list(candidates)
    known = [*candidates, _TRUTHS[name]] if name in _TRUTHS else candidates
    return _unknown("TRN101", f"no name `{name}` here", name, span, known, {**_TRUTHS, **_EMPTY})


def unknown_kind(kind: ast.Name, kinds: Iterable[str]) -> Diagnostic:
    """TRN102: a declaration of a kind that does not exist.

    Why: the whole declaration would be lost; `[tools.setuptools]` for `[tool.setuptools]` is ignored without a word, and experts
    miss it (pypa/setuptools#4150).
    Example: clutser small_one { gpu = h100, gpus_per_node = 8 }
    Instead: cluster small_one { gpu = h100, gpus_per_node = 8 }
    """
    return _unknown("TRN102", f"no kind `{kind.text}`", kind.text, kind.span, kinds)


def duplicate(name: str, span: Span, first: Span) -> Diagnostic:
    """TRN103: a name is declared twice.

    Why: which of the two is meant is a guess; a YAML loader takes the last one and says nothing (yaml/pyyaml#165).
    Example:
      let n = 1
      let n = 2
    Instead:
      let n = 1
      let m = 2
    """
    return error("TRN103", f"`{name}` is declared twice", span, Related(first, "first declared here"), help="rename one")


def cycle(names: Sequence[str], span: Span | None) -> Diagnostic:
    """TRN104: names are defined by each other in a circle.

    Why: no value can be computed; OmegaConf let Python crash on such a circle (omry/omegaconf#661).
    Example:
      let a = b
      let b = a
    Instead:
      let a = 1
      let b = a
    """
    path = " -> ".join(f"`{name}`" for name in names)
    return error("TRN104", f"a name depends on itself: {path}", span, help="give one of them a value of its own")


def unknown_field(record: str, name: ast.Name, fields: Iterable[str], own: Own | None = None) -> Diagnostic:
    """TRN105: a record has no such field.

    Why: a setting that is ignored leaves its default, and the loss curve tells hours later (unslothai/unsloth#10452).
    Example: mesh m = wide { dp_shrad = 2 }
    Instead: mesh m = wide { dp_shard = 2 }
    """
    message = f"`{record}` has no field `{name.text}`"
    if own is None:
        return _unknown("TRN105", message, name.text, name.span, fields)
    if own.example is not None:
        return error("TRN105", message, name.span, help=f"here it is written `{own.example}`")
    return error("TRN105", message, name.span, help=f"it is called `{own.field}` here", fix=_renamed(name, own.field))


def unknown_member(base: str, name: ast.Name, members: Iterable[str]) -> Diagnostic:
    """TRN106: what stands before the dot has no such member.

    Why: a misspelt reference must not mean something else; a misspelt one in a Helm chart left out the database's user, found after
    the deployment (helm/helm#10388).
    Example:
      import std.gpus
      cluster c = prod { gpu = gpus.h100_sxn }
    Instead:
      import std.gpus
      cluster c = prod { gpu = gpus.h100_sxm }
    """
    return _unknown("TRN106", f"{base} has no member `{name.text}`", name.text, name.span, members)


def unknown_choice(text: str, span: Span, choices: Sequence[str]) -> Diagnostic:
    """TRN107: a field does not take this word.

    Why: only the words of the field's type mean something; Lightning took `batch` for an interval and never called the scheduler
    (Lightning-AI/pytorch-lightning#5548).
    Example: precision p { compute = bfloat16 }
    Instead: precision p { compute = bf16 }
    """
    return _unknown("TRN107", f"`{text}` is none of {', '.join(choices)}", text, span, choices, _CHOICES)


def repeated_field(name: ast.Name, first: Span) -> Diagnostic:
    """TRN108: a field is set twice in one block.

    Why: which of the two is meant is a guess; read as YAML, the last one wins silently (snowflakedb/ArcticTraining#85).
    Example: stage s = pretrain { batch { micro = 1, micro = 2 } }
    Instead: stage s = pretrain { batch { micro = 2 } }
    """
    return error("TRN108", f"`{name.text}` is set twice", name.span, Related(first, "first set here"), help="keep one")


def missing_fields(record: str, fields: Sequence[str], span: Span | None) -> Diagnostic:
    """TRN109: a record lacks fields that have no default.

    Why: there is no value that is right for everybody, and Hydra starts a program without one (hydra-ecosystem/hydra#2193).
    Example: cluster c { nodes = 2 }
    Instead: cluster c { nodes = 2, gpu = h100, gpus_per_node = 8 }
    """
    listed = ", ".join(f"`{field}`" for field in fields)
    return error("TRN109", f"`{record}` lacks {listed}", span, help=f"set {listed}")


def unknown_param(name: str, params: Iterable[str]) -> Diagnostic:
    """TRN110: `--set` names a parameter that the spec does not declare.

    Why: the run would use the value in the file, and nothing would say so (meta-pytorch/torchtune#2979).
    Example: $ trainc check first.train --set lenght=200steps
    Instead: $ trainc check first.train --set length=200steps
    """
    params = list(params)
    suggestion = closest(name, params)
    known = f"the spec has {', '.join(f'`{param}`' for param in params)}" if params else "the spec declares no `param`"
    return error("TRN110", f"no param `{name}`", None, help=f"did you mean `{suggestion}`?" if suggestion else known)


def missing_param(name: ast.Name) -> Diagnostic:
    """TRN111: a parameter without a default was given no value.

    Why: the spec leaves this choice to whoever compiles it; to ask for it there blocks a job that nobody watches until its time is
    up (hashicorp/terraform#27672).
    Example: param steps: count
    Instead: param steps: count = 50
    """
    return error("TRN111", f"param `{name.text}` has no value", name.span, help=f"add --set {name.text}=VALUE, or a default")


def unknown_type(name: ast.Name, types: Iterable[str]) -> Diagnostic:
    """TRN112: a param's type does not exist.

    Why: its values could not be checked; `Integer` for `integer` in a schema, and the property is not checked at all
    (voxpupuli/json-schema#309).
    Example: param steps: int = 5
    Instead: param steps: count = 5
    """
    return _unknown("TRN112", f"no type `{name.text}`", name.text, name.span, types, _TYPES)


def unknown_function(name: ast.Name, functions: Iterable[str]) -> Diagnostic:
    """TRN113: a function does not exist.

    Why: the language has a few pure functions and no others; Sass writes out the call of a function that it does not know as it
    stands (sass/libsass#2014).
    Example: let n = maximum(1, 2)
    Instead: let n = max(1, 2)
    """
    return _unknown("TRN113", f"no function `{name.text}`", name.text, name.span, functions, _FUNCTIONS)


def second_pipeline(name: str, span: Span | None, first: Span | None) -> Diagnostic:
    """TRN114: a spec declares two pipelines.

    Why: it runs one, and the other would be ignored; of two documents in a file a YAML reader kept the last
    (ingydotnet/yaml-libyaml-pm#16).
    Example:
      pipeline p { stages = [pretrain] }
      pipeline q { stages = [pretrain] }
    Instead: pipeline p { stages = [pretrain] }
    """
    related = (Related(first, "the first one"),) if first is not None else ()
    return error("TRN114", f"`{name}` is a second pipeline, a spec runs one", span, *related, help="keep one")


def no_stage(path: str) -> Diagnostic:
    """TRN115: a spec that is to be planned or run declares no stage.

    Why: a file of models or clusters is there to be imported; nothing in it runs. A pipeline without a step ended as failed, and no
    message said why (UnifiedViews/Core#410).
    Example:
      $ cat shared.train
      let nodes = 2
      $ trainc plan shared.train
    Instead: $ trainc plan spec.train
    """
    return error("TRN115", f"`{path}` declares no stage", None, help="name a spec that has one")


def _renamed(name: ast.Name, meant: str) -> Fix:
    return Fix(f"write `{meant}`", (Edit(name.span, meant),))


def _unknown(
    code: str,
    message: str,
    name: str,
    span: Span,
    candidates: Iterable[str],
    synonyms: Mapping[str, str] | None = None,
) -> Diagnostic:
    candidates = list(candidates)
    synonym = (synonyms or {}).get(name)
    meant = synonym if synonym in candidates else certain(name, candidates)
    suggestion = meant or closest(name, candidates)
    if suggestion is None:
        few = ", ".join(sorted(candidates)[:12])
        return error(code, message, span, help=f"known here: {few}" if few else None)
    fix = Fix(f"write `{meant}`", (Edit(span, meant),)) if meant is not None else None
    return error(code, message, span, help=f"did you mean `{suggestion}`?", fix=fix)
