# The public names: one line each.
from lpgraph.scale.store import EdgeStore as EdgeStore
