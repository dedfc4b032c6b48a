# The public names: one line each.
from lpgraph.scale.build import build_store as build_store
from lpgraph.scale.classify_parts import classify as classify
from lpgraph.scale.extend_parts import extend as extend
from lpgraph.scale.sample_parts import sample as sample
from lpgraph.scale.store import EdgeStore as EdgeStore
from lpgraph.scale.written_positions import write_positions as write_positions
