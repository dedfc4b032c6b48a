"""The order of the gallery: from the simplest to what is behind it."""

from pathlib import Path

ORDER = (
    *("karate", "les_miserables", "digits", "swiss_roll", "two_moons"),
    *("arrivals", "uncertainty", "signature", "directed", "dimension"),
)


def place(filename: str) -> int:
    """Return the place of a script in the gallery."""
    return ORDER.index(Path(filename).stem)
