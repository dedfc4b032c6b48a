# The methods: one line each. The package, saved models, the command line and the docs read them from here.
from lpgraph.manifold.clustering import SpectralClustering as SpectralClustering
from lpgraph.manifold.diffusion import DiffusionMap as DiffusionMap
from lpgraph.manifold.eigenmaps import LaplacianEigenmaps as LaplacianEigenmaps
from lpgraph.manifold.isomap import Isomap as Isomap
from lpgraph.manifold.kernel_pca import KernelPCA as KernelPCA
from lpgraph.manifold.lle import LocallyLinearEmbedding as LocallyLinearEmbedding
from lpgraph.manifold.ltsa import LocalTangentSpaceAlignment as LocalTangentSpaceAlignment
from lpgraph.manifold.mds import ClassicalMDS as ClassicalMDS
from lpgraph.manifold.semidefinite import SemidefiniteEmbedding as SemidefiniteEmbedding
