"""What the config.json of a local model says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..files import SpecFiles


def stated(files: SpecFiles, path: str) -> Mapping[str, Any]:
    """The settings; none where the file is missing, which is TRN607's, or no JSON, which is transformers' to explain."""
    try:
        content = json.loads(files.text(f"{path}/config.json") or "{}")
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
