from lpgraph.spectral import aligned as aligned
from lpgraph.spectral import construction as construction
from lpgraph.spectral import eigen as eigen
from lpgraph.spectral import eigenvalue_cv as eigenvalue_cv
from lpgraph.spectral import embedding as embedding
from lpgraph.spectral import extension as extension
from lpgraph.spectral import operators as operators
