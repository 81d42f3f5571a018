"""The compared methods and four more that learn or cut a graph, one file each."""

from graphtailor.baselines.can import CAN
from graphtailor.baselines.cgl import CGL
from graphtailor.baselines.glpca import GLPCA
from graphtailor.baselines.gmf import GMF
from graphtailor.baselines.gnmf import GNMF
from graphtailor.baselines.grpca import GRPCA
from graphtailor.baselines.kmeans import KMeansClustering
from graphtailor.baselines.l1graph import L1Graph
from graphtailor.baselines.l2graph import L2Graph
from graphtailor.baselines.l2symnmf import L2SymNMF
from graphtailor.baselines.lrr import LRR
from graphtailor.baselines.nmf import NMFClustering
from graphtailor.baselines.nsc import NonnegativeSpectralClustering
from graphtailor.baselines.pca import PCAClustering
from graphtailor.baselines.rpca import RPCA
from graphtailor.baselines.rssa import RSSA, RSSAR, RSSR
from graphtailor.baselines.self_tuning import SelfTuningSpectralClustering
from graphtailor.baselines.smooth_graph import SmoothGraph
from graphtailor.baselines.spectral import SpectralClusteringNJW
from graphtailor.baselines.ssc import SparseSpectralClustering
from graphtailor.baselines.symnmf import SymNMF

__all__ = [
    "CAN",
    "CGL",
    "GLPCA",
    "GMF",
    "GNMF",
    "GRPCA",
    "LRR",
    "RPCA",
    "RSSA",
    "RSSAR",
    "RSSR",
    "KMeansClustering",
    "L1Graph",
    "L2Graph",
    "L2SymNMF",
    "NMFClustering",
    "NonnegativeSpectralClustering",
    "PCAClustering",
    "SelfTuningSpectralClustering",
    "SmoothGraph",
    "SparseSpectralClustering",
    "SpectralClusteringNJW",
    "SymNMF",
]
