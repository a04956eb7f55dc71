"""What a generated train.py calls on a cluster node: torch and transformers joined by a plan. Imports nothing else of trainc."""
