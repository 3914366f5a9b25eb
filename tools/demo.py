"""Demo."""


def play() -> bool:
    return True
