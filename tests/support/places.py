"""The environment of ranks that no launcher starts."""

from __future__ import annotations

import random
import socket

# Below the ports that the kernel hands out: gloo's connections take one of those each, a port found free there may be gone at once.
FIRST_PORT, LAST_PORT = 15_000, 32_000


def places(ranks: int) -> list[dict[str, str]]:
    """What torchrun's variables say to each rank of a group on this machine; a process alone needs none."""
    if ranks == 1:
        return [{}]
    shared = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
        "WORLD_SIZE": str(ranks),
        "LOCAL_WORLD_SIZE": str(ranks),
    }
    return [{**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(ranks)]


def free_port() -> int:
    """A port on which nothing listens."""
    while True:
        port = random.SystemRandom().randint(FIRST_PORT, LAST_PORT)
        with socket.socket() as found:
            if found.connect_ex(("127.0.0.1", port)):
                return port
