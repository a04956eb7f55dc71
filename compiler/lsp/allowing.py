"""Code actions that write a suppression: `# trainc: allow TRN303 -- reason`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types
from trainc.dsl.allow_comments import BEGIN
from trainc.dsl.diagnostics import Diagnostic
from trainc.dsl.lexer import lex

from ..policy.waivers import suppressible
from .diagnostics import show
from .spot import Spot

_CODES = re.compile(rf"{BEGIN}\s+TRN\d{{3}}(?:\s*,\s*TRN\d{{3}})*")


def suppressions(findings: Iterable[Diagnostic], spot: Spot) -> Iterator[types.CodeAction]:
    """For each finding that somebody can answer for, the comment that takes it away; who writes it puts the reason in."""
    for finding in findings:
        if finding.primary is None or not suppressible(finding.code):
            continue
        edit = _edit(finding.code, finding.primary.line, spot)
        if edit is not None:
            changes = {spot.workspace.uri(spot.path): [edit]}
            shown = [show(finding, spot.places)]
            title = f"Allow {finding.code} here, for a reason"
            yield types.CodeAction(title, types.CodeActionKind.QuickFix, shown, edit=types.WorkspaceEdit(changes=changes))


def _edit(code: str, line: int, spot: Spot) -> types.TextEdit | None:
    source = spot.view.file.source
    start = source.line_starts[line - 1]
    end = start + len(source.line_text(line))
    if _is_inside_string(end, spot):
        return None
    comment = next((one for one in spot.view.file.comments if start <= one.span.start <= end), None)
    if comment is None:
        return _insertion(end, f"  # trainc: allow {code} -- reason", spot)
    written = _CODES.match(comment.text)
    if written is not None:
        return _insertion(comment.span.start + written.end(), f", {code}", spot)
    # Another comment ends the line: the suppression goes above, as far to the right.
    indent = source.line_text(line)[: len(source.line_text(line)) - len(source.line_text(line).lstrip())]
    newline = "\r\n" if "\r\n" in source.text else "\n"
    return None if _is_inside_string(start, spot) else _insertion(start, f"{indent}# trainc: allow {code} -- reason{newline}", spot)


def _insertion(offset: int, text: str, spot: Spot) -> types.TextEdit:
    return types.TextEdit(spot.lines.between(offset, offset), text)


def _is_inside_string(offset: int, spot: Spot) -> bool:
    tokens = lex(spot.view.file.source).tokens
    return any(kind in ("STRING", "TEMPLATE") and start < offset < end for kind, start, end in tokens)
