"""``lpgraph plot``: pictures of the data in files."""

from __future__ import annotations

from lpgraph.cli import plot_graphs, plot_points
from lpgraph.cli._command import as_command
from lpgraph.cli._options import Application

__all__ = ["app"]

app = Application(help="Draw a picture: png, svg or pdf.")

for _command in (
    plot_graphs.scree,
    plot_graphs.embedding,
    plot_graphs.adjacency,
    plot_graphs.truth,
    plot_points.points,
    plot_points.loss,
    plot_points.stability,
    plot_points.quality,
    plot_points.shepard,
):
    app.command()(as_command(_command))
