"""The comment that allows findings of its line, or of the line below: `# trainc: allow TRN303 -- reason`."""

from __future__ import annotations

import re

# How it begins; the codes follow.
BEGIN = r"#\s*trainc:\s*allow\b"

_BEGIN = re.compile(BEGIN)


def is_allow(comment: str) -> bool:
    """Whether a comment begins as one that allows findings."""
    return _BEGIN.match(comment) is not None
