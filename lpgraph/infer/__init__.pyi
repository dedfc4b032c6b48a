from lpgraph.infer import classify as classify
from lpgraph.infer import cluster as cluster
from lpgraph.infer import dimension as dimension
from lpgraph.infer import mixture as mixture
