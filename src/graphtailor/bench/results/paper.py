"""Every number that the study printed in its result tables."""

from importlib.resources import files

import pandas as pd


def paper_results() -> pd.DataFrame:
    """The ten result tables of the study, one row a cell.

    Mean and standard deviation over 20 repeats at the weights that an exhaustive
    search with the true labels found best [1]_. Cells that the study leaves empty
    (NMF and GNMF on data with negative values) have no mean; CAN is deterministic and
    has no standard deviation. Misprints are kept as printed: SymNMF's PUR of 0.062 on
    soybean is surely 0.620.

    Returns
    -------
    DataFrame
        Columns dataset, method, metric, mean, std and versus_proposed: what the
        rank-sum test at 0.05 found for the method ("worse", "same", "better").

    References
    ----------
    .. [1] Y. Jia, H. Liu, J. Hou, S. Kwong, "Clustering-aware Graph Construction: A
       Joint Learning Perspective", IEEE Transactions on Signal and Information
       Processing over Networks, 2020, Tables II to XI.

    Examples
    --------
    >>> from graphtailor.bench import paper_results
    >>> table = paper_results()
    >>> own = table[(table.method == "Proposed") & (table.metric == "ACC")]
    >>> float(own["mean"].mean().round(3))
    0.666
    """
    with (files("graphtailor.bench.results") / "paper_results.csv").open("rb") as file:
        return pd.read_csv(file)
