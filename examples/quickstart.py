"""Classification of the vertices of a network, and of new vertices."""

import networkx as nx

import lpgraph as lp


def main():
    network = nx.karate_club_graph()
    club = {member: data["club"] for member, data in network.nodes(data=True) if member % 2 == 0}

    model = lp.VertexClassifier().fit(network, club)  # half the labels are known
    truth = [data["club"] for _, data in network.nodes(data=True)]
    print(f"{sum(model.transduction_ == truth)} of {len(truth)} members are correct.")

    new_members = {"Anna": [0, 1, 2, 3], "Bela": [33, 32, 30], "Chen": {0: 1, 33: 5}}
    print(dict(zip(new_members, model.predict(new_members).tolist(), strict=True)))


if __name__ == "__main__":
    main()
