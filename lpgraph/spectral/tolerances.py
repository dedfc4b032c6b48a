"""Thresholds of the eigensolvers, each with its reason. `tol` is the caller's bound on measured residuals."""

# Residuals

#: Residuals are relative to the eigenvalue, or to this share of the norm if that is larger: not to 0.
NORM_SHARE = 1e-3

#: The same if values are counted from an end of the spectrum where they crowd, such as a Laplacian's from 0: on a
#: surface of 10^6 points the first are 10^-6 apart.
NEAR_SHARE = 1e-5

#: The iteration's own tolerance relative to `tol`: a basis in single precision adds 1e-7 to the measured residual.
INNER = 0.8

#: The same for `tol` below `FINE`, relative to which that rounding is larger.
INNER_FINE = 0.5
FINE = 1e-6

#: From one attempt to the next if a measured residual is above `tol` though the estimate was not.
STRICTER = 0.1

#: No attempt after an inner tolerance below this: double precision cannot reach it.
STRICTEST = 1e-15

#: Down to this `tol` the basis is first kept in single precision, if that is faster.
SINGLE = 3e-7

#: A larger `tol` is for values in the bulk of a spectrum, where a vector combines many eigenvectors. Those that
#: stand out from the last wanted one, by so much of their size, are found to a tolerance of their own.
LOOSE, OUTSTANDING, OUTSTANDING_TOL = 1e-2, 0.02, 1e-3

# Order of eigenvalues

#: Magnitudes closer than this share of the largest are equal: a pair +-l to rounding.
TIE = 1e-9

# Orthogonality

#: Components along the basis are left in a product up to this many tolerances: far below the residual wanted.
SLACK = 0.01

#: The same with a filter, whose tolerance is relative to larger values: wanted ones may be only `LIFT` there.
FILTER_SLACK = 0.003

#: A direction shorter than this share of the norm is rounding, and is replaced by a random one.
NOISE = 1e-14

#: Least eigenvalue of the cosines between a block's directions for which Cholesky's factor is exact to rounding.
APART = 1e-2

# Multiplicity

#: Wanted values within so many residuals of one another, but at least `CROWDED_LEAST`, may hide another copy: an
#: unconverged copy can still be that far from its eigenvalue. A residual above the tolerance counts as that.
CROWDED = 30.0
CROWDED_LEAST = 1e-9

#: The same for a basis in single precision, whose rounding estimates do not show.
CROWDED_LEAST_SINGLE = 1e-5

#: Crowded vectors must meet this share of the tolerance: a check adds what they lack to the vectors found later.
CROWDED_SHARE = 0.5

#: A value not wanted will not rise above the wanted if its residual is below the tolerance to this power, because
#: its error is of the order of the residual's square.
SETTLED_POWER = 2 / 3

# Filter

#: Value of the filter at the last wanted eigenvalue: enough above 1 that both operators have similar residuals.
LIFT = 3.0

#: The filter is in vain if the last wanted Ritz value is below this: then it is not clearly outside the interval.
LIFTED = 2.0

#: Largest value of the filter: this factor is what the last wanted vectors lose in precision.
TALLEST = 1e6

#: The far end of the spectrum is known from inside only; the interval is longer by this share.
BEYOND = 0.1

#: What a basis in single precision adds to a residual, relative to the largest value not yet found: ten roundings.
SINGLE_ROUNDING = 3e-7

#: Share of the tolerance that vectors kept from before the filter, and the filter's own, must meet: both count.
KEPT_SHARE = 0.5

#: A Ritz value that stands for more eigenvalues than this has not begun to converge to one of them.
LOST = 3
