"""The text below the table of `quality.py`."""

__all__ = ["NOTES"]

NOTES = """\
Ten neighbors in the methods and in the measures, two dimensions, a fixed seed, and otherwise default arguments.
The methods of lpgraph also get `components="bridge"`, which joins components of the neighbor graph. The
columns `new` are for new points, which each method places by its own `transform`; "-" if it has none.
Preservation is the share of the ten nearest neighbors that are kept. Of the 7291 digits of USPS, 2000 were
drawn at random and measured. The rank correlation is that of distances in the data and in the embedding. The
residual variance is one minus the squared correlation of distances in the embedding with shortest paths in the
neighbor graph, whose components were joined as by lpgraph. {peer}.

- rings: 20 smooth pictures of 32 x 32 pixels, each rotated in 72 steps: closed curves, as in COIL-20. Every
  fourth view is new. The neighbor graph has seven components.
- faces: 698 rendered faces of 32 x 32 pixels; digits: the 1797 digits of scikit-learn. A fifth of them is new.
- USPS: the 7291 training digits, and the 2007 test digits as new points.

What the figures show, and where those of lpgraph are worse:

- UMAP keeps the most neighbors of all data sets: it moves points until neighbors are near in two dimensions. A
  spectral method solves one eigenproblem, whose first two vectors do not separate many clusters. On faces,
  digits and USPS, Isomap and PCA have larger rank correlations of distances than UMAP, and Isomap has the
  smallest residual variance on all data sets.
- `LaplacianEigenmaps` keeps somewhat fewer neighbors of training points than scikit-learn's spectral embedding,
  except on the rings. The graphs differ: scikit-learn counts the point itself among its ten neighbors, and an edge
  that is found from one side only has half the weight.
- Isomap of the rings: lpgraph joins components by a spanning tree of the shortest edges between them,
  scikit-learn joins each pair of components. With scikit-learn's edges lpgraph has scikit-learn's values.
- Isomap of new points: lpgraph also joins a new point to training points that have it within the distance of
  their ten nearest, so that training points passed as new ones keep their positions exactly. scikit-learn joins
  it to its ten nearest only; with that rule lpgraph has scikit-learn's values on the digits.
- LTSA of USPS: the first coordinate is concentrated on few digits. Five of them have 99.9 % of its sum of squares.
- Failed: semidefinite embedding of the rings, since its trace has no bound if the kept distances form several
  components, and scikit-learn's LTSA of both sets of digits ("Factor is exactly singular").
- On the rings, scikit-learn's LLE, LTSA and spectral embedding differed between runs with one and with two
  threads: the eigenvalues of a disconnected graph coincide.
"""
