"""What the orders of pipeline steps ask for, and how many micro-batches they keep at once; read from torch 2.13.

torch/distributed/pipelining/schedules.py: the constructors of its schedules, and `_get_warmup_ops`.
"""

from __future__ import annotations

from ..spec import MeshSpec

# Groups of layers a rank: the least and the most that an order takes.
GROUPS: dict[str, tuple[int, int | None]] = {
    "gpipe": (1, 1),
    "one_f_one_b": (1, 1),
    "interleaved": (2, None),
    "zero_bubble": (1, None),
    "zbv": (2, 2),
    "dualpipe_v": (2, 2),
}
# They compute the gradients of weights apart from those of activations, and later.
DELAYING = ("zero_bubble", "zbv", "dualpipe_v")
# The first rank holds the first and the last part.
THERE_AND_BACK = ("zbv", "dualpipe_v")


def takes(mesh: MeshSpec) -> bool:
    """Whether the mesh's order is made for so many groups a rank."""
    least, most = GROUPS[mesh.schedule]
    return least <= mesh.virtual_stages and (most is None or mesh.virtual_stages <= most)


def accepts(mesh: MeshSpec, micro_batches: int) -> bool:
    """Whether the mesh's order can be made for so many micro-batches a step."""
    match mesh.schedule:
        case "one_f_one_b":
            return micro_batches >= mesh.pp
        case "dualpipe_v":
            return micro_batches >= 2 * mesh.pp
        case "interleaved" | "zero_bubble":
            # Rounds of at least pp micro-batches, all of one size.
            return micro_batches % _rounds(mesh.pp, micro_batches) == 0
    return True


def kept_at_once(mesh: MeshSpec, micro_batches: int, place: int) -> int:
    """Most pairs of a part and a micro-batch that the rank at a place along pp holds between forward and backward pass."""
    ahead = mesh.pp - 1 - place
    before_last = (mesh.virtual_stages - 1) * (micro_batches // _rounds(mesh.pp, micro_batches))
    most = {
        "gpipe": micro_batches,
        "one_f_one_b": ahead + 1,
        "interleaved": before_last + 2 * ahead + 1,
        # `place` more wait for the gradients of their weights.
        "zero_bubble": before_last + ahead + 1 + place,
        "zbv": 2 * mesh.pp,
        "dualpipe_v": 2 * mesh.pp + 1,
    }[mesh.schedule]
    return min(most, micro_batches * mesh.virtual_stages)


def delayed_at_once(mesh: MeshSpec, place: int) -> int:
    """How many of those pairs have had the first half of their backward pass, and keep gradients for the second."""
    if mesh.schedule not in DELAYING:
        return 0
    return 1 + place if mesh.schedule == "zero_bubble" else 1


def parts_at(mesh: MeshSpec, place: int) -> tuple[int, ...]:
    """The parts that the rank at a place along pp holds."""
    if mesh.schedule in THERE_AND_BACK:
        return place, 2 * mesh.pp - 1 - place
    return tuple(range(place, mesh.parts, mesh.pp))


def _rounds(pp: int, micro_batches: int) -> int:
    return max(1, micro_batches // pp)
