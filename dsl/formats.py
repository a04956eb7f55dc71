"""The output formats of findings by name; the code of one is imported only where it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from .report import Report

Renderer = Callable[[Report], str]

FORMATS = {
    "text": "render_text",
    "concise": "render_concise",
    "json": "render_json",
    "sarif": "render_sarif",
    "github": "render_github",
    "gitlab": "render_gitlab",
    "junit": "render_junit",
    "checkstyle": "render_checkstyle",
}


def renderer(name: str) -> Renderer:
    """The function `render` of a format's module."""
    found: Renderer = importlib.import_module(f".{FORMATS[name]}", __package__).render
    return found
