import sys
from pathlib import Path

# The benchmarks are scripts beside the package and import each other by name.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
