"""What `trainc run` does with a bundle, from the outside."""

import fcntl
import json
import re
import shutil
from pathlib import Path

import pytest

from trainc.compiler.runs.pipeline import PipelineEnd, run_pipeline

from .conftest import SAVES_WHEN_ASKED, TRAINS_WELL, MakeBundle
