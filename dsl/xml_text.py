"""Writes text into XML, whatever characters it holds."""

from __future__ import annotations

import re

# XML 1.0 has no way at all to write these: most control characters, halves of pairs, and two code points.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Parsers turn bare white space in an attribute into spaces.
_MARKS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


def escaped(text: str) -> str:
    """Text for an element or a quoted attribute, in ASCII so that no terminal or pipe can spoil it."""
    marked = "".join(_MARKS.get(char, char) for char in _FORBIDDEN.sub("\ufffd", text))
    return marked.encode("ascii", "xmlcharrefreplace").decode("ascii")


def opening(tag: str, /, **attributes: object) -> str:
    """A tag with its attributes, without the end of it: `<error line="3"`."""
    return " ".join((f"<{tag}", *(f'{key}="{escaped(str(value))}"' for key, value in attributes.items())))
