"""From the text of a spec to a bundle: names, values, rules, plans, programs and targets. Never imports torch."""
