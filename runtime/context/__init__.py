"""Attention over sequences of which each rank of the axis cp holds a part."""
