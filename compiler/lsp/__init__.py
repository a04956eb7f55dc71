"""The language server: one file a feature, from a snapshot and a place to what an editor shows; `server.py` wires them."""
