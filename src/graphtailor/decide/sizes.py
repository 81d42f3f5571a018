"""Every rule that depends on the number of rows, in one table.

What happens to a table of n rows can be read off here from top to bottom. Other modules
import these numbers and hold none of their own. This module imports nothing.
"""

# --- GraphTailor: the one rule on size ---------------------------------------------
# Up to this many distinct rows every row represents itself; more are represented by
# this many weighted anchors, and everything after that costs the same for any n.
REPRESENTATIVES = 4_000
# Anchors are placed by k-means on a sample of this many rows for each of them.
SAMPLED_ROWS_PER_ANCHOR = 25
# Nearest representatives that share a new row.
LINKS = 5
# Average linkage holds all pairs of representatives; larger numbers do without it.
LINKAGE_UP_TO = 6_000
# Features beyond this number are projected to this many directions, once.
DIRECTIONS = 64

# --- JointModel ----------------------------------------------------------------------
# Eigenvectors for spectral starts are exact up to this many samples. Those of larger
# graphs are approached by a random walk of fixed length.
EXACT_SPECTRUM_UP_TO = 12_000
# From this many samples on, V is swept by several threads and samples are renumbered
# so that neighbours lie near each other in memory.
PARALLEL_FROM = 20_000
# S converges to its optimum in at most 100 sweeps; above 1,000 samples 30 are enough.
SWEEPS_ALONE, FEWER_SWEEPS_ABOVE, FEWER_SWEEPS = 100, 1_000, 30

# --- Numerics ------------------------------------------------------------------------
# Below this size LAPACK is quicker than Lanczos iterations, and has no trouble with
# clusters of eigenvalues. Above the second its n x n array takes minutes and half a
# gigabyte.
DENSE_BELOW, DENSE_UP_TO = 600, 8_000
# Below these sizes the exact neighbours take a second at most, or less than the
# approximate ones: pynndescent compiles for 40 CPU-seconds in each new process.
SAMPLES_FOR_FAISS, SAMPLES_FOR_PYNNDESCENT = 10_000, 40_000
