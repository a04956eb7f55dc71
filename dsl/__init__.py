"""Text and syntax of `.train` files: sources, diagnostics, the syntax tree and its parser. Knows nothing of training."""
