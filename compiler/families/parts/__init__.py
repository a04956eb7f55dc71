"""What decoders are made of: the arithmetic that families share, each part's own."""
