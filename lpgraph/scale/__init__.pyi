# The public names: one line each.
from lpgraph.graph.files.store import open_store as open_store
from lpgraph.linalg.room import limit_memory as limit_memory
from lpgraph.scale.build import build_store as build_store
from lpgraph.scale.dask import on_dask as on_dask
from lpgraph.scale.results import classify as classify
from lpgraph.scale.results import extend as extend
from lpgraph.scale.results import sample as sample
from lpgraph.scale.results import write_positions as write_positions
