from __future__ import annotations

import random
import string

import pytest
from trainc.dsl.suggest import certain, closest, edit_distance

FIELDS = (
    *("model", "data", "mesh", "precision", "strategy", "adapter", "batch", "optimizer", "schedule", "duration"),
    *("recompute", "clip", "checkpoint", "objective", "cluster", "dp_replicate", "dp_shard", "nodes", "gpus_per_node"),
    *("inter_node", "intra_node", "weight_decay", "warmup", "floor", "attention", "reshard_after_forward", "experts"),
    *("sequence_parallel", "max_sequence", "tied_embeddings", "experts_per_token", "heads", "kv_heads", "head_dim"),
    *("hidden", "layers", "vocab", "micro", "global", "accumulation", "every", "keep", "betas", "reduce", "compute"),
)


def mutate(word: str, rng: random.Random) -> str:
    at = rng.randrange(len(word) - 1)
    letter = rng.choice(string.ascii_lowercase)
    return rng.choice(
        (
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        )
    )


def test_most_misspelled_fields_are_found() -> None:
    rng = random.Random(7)
    found = 0
    for _ in range(50):
        field = rng.choice(FIELDS)
        misspelled = field
        for _ in range(rng.choice((1, 2))):
            misspelled = mutate(misspelled, rng)
        found += closest(misspelled, FIELDS) == field
    assert found >= 45


def test_swapped_letters_are_one_edit() -> None:
    assert edit_distance("mesh", "mehs") == 1


def test_another_case_comes_before_a_nearer_spelling() -> None:
    assert closest("gb", ("kb", "GB")) == "GB"


def test_nothing_is_suggested_for_a_word_that_is_far_from_all() -> None:
    assert closest("banana", FIELDS) is None


def test_a_single_letter_has_no_suggestion() -> None:
    assert closest("x", ("a", "b")) is None


@pytest.mark.parametrize(
    ("name", "candidates", "meant"),
    [
        ("dp_shrad", ["dp_shard", "dp_replicate"], "dp_shard"),
        ("DP_Shard", ["dp_shard"], "dp_shard"),
        ("h100_sxn", ["h100_sxm", "h200_sxm"], "h100_sxm"),
        ("llama3_9b", ["llama3_8b"], None),  # may be one that is not here
        ("tpp", ["tp", "pp"], None),
        ("tq", ["tp"], None),  # one letter of two
        ("gb/s", ["Gb/s", "GB/s"], None),
        ("warmp", ["warmup", "warm"], None),
        ("anything", ["dp_shard"], None),
    ],
)
def test_only_one_candidate_so_near_is_certain(name: str, candidates: list[str], meant: str | None) -> None:
    assert certain(name, candidates) == meant
