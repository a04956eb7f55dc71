"""Which findings count: comments in a spec, the settings of a project, and baselines of what is known."""
