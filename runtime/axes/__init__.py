"""Ways to split one copy of a model over ranks, one file an axis of the mesh; each comes before the strategy."""
