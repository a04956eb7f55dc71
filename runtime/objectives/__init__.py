"""What a stage minimises, one file each: the summed loss of a micro-batch; the trainer divides by the targets."""
