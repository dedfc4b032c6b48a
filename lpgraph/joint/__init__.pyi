from lpgraph.joint.graphs import GraphSequence as GraphSequence
from lpgraph.joint.graphs import as_graphs as as_graphs
from lpgraph.joint.multiple import MultipleEmbedding as MultipleEmbedding
from lpgraph.joint.omnibus import OmnibusEmbedding as OmnibusEmbedding
from lpgraph.joint.uncertainty import standard_errors as standard_errors
from lpgraph.joint.unfolded import UnfoldedEmbedding as UnfoldedEmbedding
