"""
Networks in time
================

Flights between 90 airports in three regions, in 24 months. They are sampled from a
model: there are few flights in the months 14 to 17, and from month 12 the airport A00
has the flights of an airport in another region.
"""

import matplotlib.pyplot as plt
import numpy as np

import lpgraph as lp

rng = np.random.default_rng(0)
region = np.repeat([0, 1, 2], 30)
names = [f"{'ABC'[k]}{i % 30:02}" for i, k in enumerate(region)]
traffic = rng.uniform(0.5, 1.0, 90)
affinity = np.array([[0.6, 0.1, 0.1], [0.1, 0.5, 0.2], [0.1, 0.2, 0.5]])

months = {}
for month in range(1, 25):
    base = region.copy()
    if month >= 12:
        base[0] = 1  # A00
    rates = affinity[base][:, base] * np.outer(traffic, traffic)
    if 14 <= month <= 17:
        rates = 0.3 * rates
    flown = np.triu(rng.random((90, 90)) < rates, 1).astype(float)
    months[month] = lp.as_adjacency(flown + flown.T, names=names)

model = lp.joint.UnfoldedEmbedding(3).fit(months)

# %%
# Distances between the positions in any two months. The four months with few flights
# differ from all others.

lp.plot.distances(model)
plt.show()

# %%
# Trajectories of three airports with 95 % confidence intervals. From month 12 the
# airport A00 is where B00 is.

lp.plot.trajectories(model, ["A00", "A01", "B00"])
plt.show()

# %%
# All airports in four of the months.

lp.plot.small_multiples(model, region, keys=[1, 11, 15, 24])
plt.show()

# %%
# The months that differ from the one before, and the airports that differ between two
# months.

print(lp.infer.change_points(model))
print(lp.infer.vertex_changes(model, 11, 12))
