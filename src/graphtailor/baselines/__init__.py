"""The compared methods, one file each."""

from graphtailor.baselines.glpca import GLPCA
from graphtailor.baselines.gmf import GMF
from graphtailor.baselines.gnmf import GNMF
from graphtailor.baselines.kmeans import KMeansClustering
from graphtailor.baselines.l2graph import L2Graph
from graphtailor.baselines.l2symnmf import L2SymNMF
from graphtailor.baselines.nmf import NMFClustering
from graphtailor.baselines.pca import PCAClustering
from graphtailor.baselines.spectral import SpectralClusteringNJW
from graphtailor.baselines.symnmf import SymNMF

__all__ = [
    "GLPCA",
    "GMF",
    "GNMF",
    "KMeansClustering",
    "L2Graph",
    "L2SymNMF",
    "NMFClustering",
    "PCAClustering",
    "SpectralClusteringNJW",
    "SymNMF",
]
