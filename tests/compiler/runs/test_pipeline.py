"""What `trainc run` does with a bundle, from the outside."""
