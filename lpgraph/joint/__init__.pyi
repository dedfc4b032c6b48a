from lpgraph.joint.base import standard_errors as standard_errors
from lpgraph.joint.embeddings import MultipleEmbedding as MultipleEmbedding
from lpgraph.joint.embeddings import OmnibusEmbedding as OmnibusEmbedding
from lpgraph.joint.embeddings import UnfoldedEmbedding as UnfoldedEmbedding
from lpgraph.joint.graphs import GraphSequence as GraphSequence
from lpgraph.joint.graphs import as_graphs as as_graphs
