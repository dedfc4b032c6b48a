# The public names: one line each.
from lpgraph.scale.build import build_store as build_store
from lpgraph.scale.store import EdgeStore as EdgeStore
