"""A fit on a Dask cluster of two small workers, one of which is killed on the way."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from graphtailor import GraphTailor
from process import peak_megabytes, timed
from scale.data import BLOCK, Shape, block
from scale.sets import DATA

WORKER_MEMORY = "1GB"


def fit_distributed(folder: Path, n_clusters: int) -> np.ndarray:
    """Labels of the rows of Parquet files; the rows stay with the workers."""
    import dask.dataframe as dd

    model = GraphTailor(n_clusters, random_state=0)
    return model.fit(dd.read_parquet(folder)).labels_.compute()


def fit_local(folder: Path, n_clusters: int) -> np.ndarray:
    """Labels of the same rows read into memory."""
    rows = pq.read_table(folder).to_pandas()
    return GraphTailor(n_clusters, random_state=0).fit(rows).labels_


def write_parquet(shape: Shape, n_samples: int, folder: Path) -> None:
    """A file of 100,000 rows for each block."""
    names = [f"x{j}" for j in range(shape.n_features)]
    for number in range(-(-n_samples // BLOCK)):
        X = block(shape, number)[0][: n_samples - number * BLOCK]
        # Names of one length keep the files in the order of the rows.
        path = folder / f"part-{number:05d}.parquet"
        pd.DataFrame(X, columns=names).to_parquet(path, index=False)


def run_dask(n_samples: int) -> list[str]:
    """Fit locally, on the cluster, and with a killed worker; one line a target."""
    try:
        import dask.dataframe  # noqa: F401
        from distributed import Client, LocalCluster
    except ImportError:
        return ["missed  Dask: pip install 'graphtailor[dask]'"]
    shape = DATA["blobs-1e6"].source
    assert isinstance(shape, Shape)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_parquet(shape, n_samples, folder)
        local, took = timed(lambda: fit_local(folder, shape.n_clusters))
        print(f"local: {took.wall:.1f} s wall", flush=True)
        with (
            LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                memory_limit=WORKER_MEMORY,
                dashboard_address="127.0.0.1:0",
            ) as cluster,
            Client(cluster) as client,
        ):
            return _check(client, folder, shape.n_clusters, local)


def _check(
    client: Any, folder: Path, n_clusters: int, expected: np.ndarray
) -> list[str]:
    try:
        labels, took = timed(lambda: fit_distributed(folder, n_clusters))
        seconds = took.wall
        peak = max(client.run(peak_megabytes).values())
        print(
            f"two workers: {seconds:.1f} s wall, at most {peak:.0f} MB each", flush=True
        )
        verdicts = [_verdict("Dask", labels, expected)]
        victim = next(iter(client.run(os.getpid).values()))
        killer = threading.Timer(seconds / 2, os.kill, (victim, signal.SIGKILL))
        killer.start()
        labels, took = timed(lambda: fit_distributed(folder, n_clusters))
        killer.cancel()
        print(
            f"one killed after {seconds / 2:.1f} s: {took.wall:.1f} s wall", flush=True
        )
        if took.wall <= seconds / 2:
            return [
                *verdicts,
                "missed  Dask: the fit ended before the worker was killed",
            ]
        return [*verdicts, _verdict("Dask, a worker killed", labels, expected)]
    except Exception as error:  # the other parts' results must still be printed
        return [f"missed  Dask: {type(error).__name__}: {error}"]


def _verdict(what: str, labels: np.ndarray, expected: np.ndarray) -> str:
    differ = int(np.count_nonzero(labels != expected))
    word = "missed" if differ else "met   "
    share = f"{differ:,} of {len(expected):,}"
    return f"{word}  {what}: {share} labels differ from the local run"
