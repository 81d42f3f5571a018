"""The mathematics of S and V: terms, starts and the two solvers."""
