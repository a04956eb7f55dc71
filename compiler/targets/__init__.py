"""What launches a bundle, one folder a target: its `target.py` and templates."""
