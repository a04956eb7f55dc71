from __future__ import annotations

from itertools import islice, pairwise
from pathlib import Path

import numpy
import pytest
from trainc.runtime.data.batches import micro_batches
from trainc.runtime.data.samples import Samples, permuted, sample_at
from trainc.runtime.planfile import RunBatch, RunData, RunSource, RunTokenizer

SOURCE = RunSource("text", "*.txt", None)
TOKENIZER = RunTokenizer("bpe", 512, None)


def data(workers: int = 0, shuffle: bool = True) -> RunData:
    text = {"packing": False, "format": "text", "columns": {}, "chat_template": None, "completions_only": False}
    cut = {"sequence": 4, "shuffle": shuffle, "seed": 5, "workers": workers, "overlong": "stop", "broken": "stop"}
    return RunData(SOURCE, None, 0.1, TOKENIZER, **text, **cut)


@pytest.fixture
def samples(tmp_path: Path) -> Samples:
    path = tmp_path / "tokens.bin"
    numpy.arange(41, dtype="uint16").tofile(path)
    return Samples(path, "uint16", sequence=4)


def dealt(samples: Samples, ranks: int, micro: int, first_step: int, steps: int, workers: int = 0) -> list[list[int]]:
    """The samples of each step, put together from all ranks."""
    batch = RunBatch(8, micro, 8 // ranks // micro, ranks)
    found: list[list[int]] = [[] for _ in range(steps)]
    for rank in range(ranks):
        stream = micro_batches(samples, data(workers), batch, rank, first_step, pin=False)
        for step in range(steps):
            found[step] += [index for part in islice(stream, batch.accumulation) for index in part.samples]
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 10, 64, 65, 1000])
def test_the_order_of_an_epoch_is_a_permutation(size: int) -> None:
    assert sorted(permuted(index, size, key=99) for index in range(size)) == list(range(size))


def test_epochs_differ_and_seeds_differ() -> None:
    orders = [[sample_at(position, 50, seed, shuffle=True) for position in range(100)] for seed in (1, 2)]
    assert orders[0][:50] != orders[0][50:]
    assert orders[0] != orders[1]


def test_a_shuffled_epoch_leaves_no_long_run_in_place() -> None:
    order = [permuted(index, 1000, key=7) for index in range(1000)]
    neighbours = sum(abs(first - second) == 1 for first, second in pairwise(order))
    assert neighbours < 10


def test_every_position_has_its_successor_as_target(samples: Samples) -> None:
    assert len(samples) == 10
    inputs, targets = samples[9]
    assert inputs.tolist() == [36, 37, 38, 39]
    assert targets.tolist() == [37, 38, 39, 40]


@pytest.mark.parametrize(("ranks", "micro"), [(1, 2), (2, 1), (4, 2), (8, 1)])
def test_the_samples_of_a_step_do_not_depend_on_ranks_or_micro_batches(samples: Samples, ranks: int, micro: int) -> None:
    assert dealt(samples, ranks, micro, 0, 3) == dealt(samples, 1, 8, 0, 3)


def test_resuming_is_starting_at_a_later_step(samples: Samples) -> None:
    assert dealt(samples, 2, 2, 2, 2) == dealt(samples, 2, 2, 0, 4)[2:]


def test_workers_change_nothing(samples: Samples) -> None:
    assert dealt(samples, 1, 2, 0, 2, workers=2) == dealt(samples, 1, 2, 0, 2)


def test_without_shuffling_samples_come_in_order() -> None:
    assert [sample_at(position, 5, seed=1, shuffle=False) for position in range(7)] == [0, 1, 2, 3, 4, 0, 1]
