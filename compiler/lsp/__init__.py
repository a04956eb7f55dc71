"""The language server: one file a feature, each a function from a snapshot and a place to what an editor shows; `server.py` wires them."""
