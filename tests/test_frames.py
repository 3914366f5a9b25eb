"""Cutting bytes into frames: the same frames however the bytes arrive, and never too much held."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from actors.gateway.frames import Frames, Oversized

LIMIT = 16

lines = st.lists(st.binary(max_size=LIMIT * 3).map(lambda line: line.replace(b"\n", b"")))
streams = lines.map(b"\n".join)


@st.composite
def cut_streams(draw: st.DrawFn) -> list[bytes]:
    """A stream of bytes in chunks, cut anywhere."""
    stream = draw(streams)
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)))))
    return [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


def fed(frames: Frames, chunks: Iterable[bytes]) -> list[bytes | Oversized]:
    return [frame for chunk in chunks for frame in frames.feed(chunk)]


@given(cut_streams())
def test_frames_do_not_depend_on_how_the_stream_is_cut(chunks: list[bytes]) -> None:
    assert fed(Frames(LIMIT), chunks) == fed(Frames(LIMIT), [b"".join(chunks)])


@given(cut_streams())
def test_every_line_is_a_frame_unless_it_is_blank_or_too_long(chunks: list[bytes]) -> None:
    whole = [Oversized.FRAME if len(line) > LIMIT else line.strip() for line in lines_of(chunks)]
    assert fed(Frames(LIMIT), [*chunks, b"\n"]) == [frame for frame in whole if frame]


def lines_of(chunks: Iterable[bytes]) -> list[bytes]:
    return b"".join(chunks).split(b"\n")


@given(cut_streams())
def test_what_is_held_never_exceeds_the_limit(chunks: list[bytes]) -> None:
    frames = Frames(LIMIT)
    for chunk in chunks:
        for _ in frames.feed(chunk):
            assert len(frames._held) <= LIMIT + len(chunk)  # noqa: SLF001 - memory is the promise
        assert len(frames._held) <= LIMIT  # noqa: SLF001


@given(st.integers(1, LIMIT * 10), st.integers(1, LIMIT * 2))
def test_an_oversized_frame_is_reported_once_and_the_next_is_served(over: int, size: int) -> None:
    stream = b"x" * (LIMIT + over) + b"\nnext\n"
    chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
    assert fed(Frames(LIMIT), chunks) == [Oversized.FRAME, b"next"]


def test_an_oversized_frame_is_reported_before_it_has_ended() -> None:
    frames = Frames(LIMIT)
    assert fed(frames, [b"x" * (LIMIT + 1)]) == [Oversized.FRAME]
    assert fed(frames, [b"x" * LIMIT, b"x" * LIMIT]) == []
    assert fed(frames, [b"\nnext\n"]) == [b"next"]


def test_a_frame_as_long_as_the_limit_is_served() -> None:
    assert fed(Frames(LIMIT), [b"x" * LIMIT, b"\n"]) == [b"x" * LIMIT]


def test_blank_lines_and_carriage_returns_are_no_frames() -> None:
    assert fed(Frames(LIMIT), [b"\n\r\n \t\n{}\r\n"]) == [b"{}"]
