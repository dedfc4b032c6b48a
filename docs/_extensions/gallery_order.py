"""Order of the scripts in the gallery: applications first, then theory."""

from pathlib import Path

ORDER = (
    *("latent_positions", "karate", "les_miserables", "network_manifold", "networks_in_time"),
    *("digits", "swiss_roll", "two_moons"),
    *("new_vertices", "uncertainty", "truth", "signature", "directed", "dimension"),
)


def place(filename: str) -> int:
    """Return the position of a script in the gallery."""
    return ORDER.index(Path(filename).stem)
