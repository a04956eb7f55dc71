"""Ways to spread a model over the ranks, one file each."""
