"""What changed in meaning between two specs, and what it does to a run that has begun."""
