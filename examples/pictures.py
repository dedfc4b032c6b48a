"""The pictures of README and of the first pages: ``python examples/pictures.py`` writes them to docs/."""

import io
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx
from PIL import Image
from sklearn.datasets import load_digits

import lpgraph as lp

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def save(figure, name):
    """Write a figure with 160 colours, which makes a third of the bytes."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=110)
    picture = Image.open(drawn).convert("RGB").quantize(160, dither=Image.Dither.NONE)
    picture.save(DOCS / f"{name}.png", optimize=True)
    plt.close(figure)
    print(DOCS / f"{name}.png")


def main():
    plt.switch_backend("Agg")
    runpy.run_path(str(ROOT / "examples" / "gallery" / "latent_positions.py"))
    save(plt.gcf(), "latent_positions")

    flights = lp.datasets.flights()
    model = lp.VertexClassifier().fit(flights.graph, flights.labels)
    routes = [
        (name, hub) for name, hubs in {"Salem": ("SEA", "DEN"), "Union": ("ORD", "MSP")}.items() for hub in hubs
    ]
    save(lp.plot.map(model, new=routes + [(b, a) for a, b in routes]).figure, "flights")

    graph = lp.read_graph(DOCS / "data" / "routes.csv")
    model = lp.VertexClassifier().fit(graph, lp.read_labels(DOCS / "data" / "regions.csv", graph))
    save(lp.plot.map(model, new=lp.read_graph(DOCS / "data" / "new_routes.csv")).figure, "tutorial_classify")

    clusters = lp.VertexClustering().fit(lp.datasets.les_miserables().graph)
    save(lp.plot.map(clusters).figure, "tutorial_cluster")

    table = nx.to_pandas_edgelist(flights.graph.to_networkx())
    inside = (table["source"] < "S") & (table["target"] < "S")
    graph = lp.as_adjacency(table[inside], directed=True)
    regions = dict(zip(flights.graph.names, flights.labels, strict=True))
    model = lp.VertexClassifier().fit(graph, {name: regions[name] for name in graph.names})
    save(lp.plot.map(model, new=table[~inside]).figure, "tutorial_arrivals")

    X, y = load_digits(return_X_y=True)
    model = lp.manifold.LaplacianEigenmaps(10, n_neighbors=10).fit(X[:1500])
    save(lp.plot.map(model, y[:1500], new=X[1500:1515]).figure, "tutorial_points")


if __name__ == "__main__":
    main()
