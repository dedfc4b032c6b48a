from lpgraph.metrics.loss import ReconstructionLoss as ReconstructionLoss
from lpgraph.metrics.loss import reconstruction_loss as reconstruction_loss
from lpgraph.metrics.perturbation import Stability as Stability
from lpgraph.metrics.perturbation import stability as stability
