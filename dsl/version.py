"""The version of trainc, alone in a module so that `trainc --version` imports nothing else."""

VERSION = "0.1.0"
