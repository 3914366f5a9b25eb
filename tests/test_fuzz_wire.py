"""A few thousand frames that nobody should send; ``make fuzz`` has a million of them."""

from pathlib import Path
from random import Random

from tests.framing import request_types, right_frames
from tests.fuzz_wire import Figures, fuzz_actors, fuzz_socket
from tests.overheard import overheard_daemon


async def test_no_frame_crashes_an_actor() -> None:
    figures = Figures()
    await fuzz_actors(seed=7, count=3_000, figures=figures)
    assert figures.exceptions == []
    assert figures.frames == 3_000
    assert {"BAD_JSON", "BAD_REQUEST", "UNKNOWN_TYPE", "accepted", "planned"} <= set(
        figures.replies
    )


def test_no_frame_over_a_socket_crashes_the_daemon(tmp_path: Path) -> None:
    figures = Figures()
    with overheard_daemon(tmp_path) as daemon:
        fuzz_socket(seed=7, count=1_000, figures=figures, daemon=daemon)
        assert daemon.answers()
    assert figures.exceptions == []
    assert figures.frames == 1_000


def test_right_frames_are_of_every_type() -> None:
    kinds = {frame["type"] for frame in right_frames(Random(1), 100)}  # noqa: S311 - the same every time
    assert kinds == {kind.tag for kind in request_types()}
