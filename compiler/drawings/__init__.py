"""A pipeline as a graph to look at, in text and as pictures."""
