"""Pieces of a train.py after which between 3 and 32 targets a sample are left, so ranks and micro-batches differ in how many."""

UNEVEN = {
    "preamble": """
import dataclasses


class Masked:
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        inputs, targets = self.samples[index]
        targets = targets.clone()
        targets[3 + index * 7 % 30 :] = data.IGNORED
        return inputs, targets

""",
    "after_data": "corpus = dataclasses.replace(corpus, train=Masked(corpus.train), heldout=Masked(corpus.heldout))",
}
