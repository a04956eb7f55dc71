"""What turns gradients into steps, one file an optimizer: each has `build(network, settings)`."""
