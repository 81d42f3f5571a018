"""What a cluster would need for 10^8 and 10^9 rows: a PROJECTION, not a measurement.

    python benchmarks/scale/run.py --projection

Measured here, on a worker of a local cluster: the costs of one block of rows, of the
steps that one worker does alone, and of handing out a task. A simulation then hands
out as many blocks as the data would have to as many workers as are assumed, over an
assumed network. Nothing of it has been run at these sizes.
"""

from __future__ import annotations

import heapq
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from graphtailor import GraphTailor
from graphtailor.dask import blocks
from graphtailor.decide.sizes import REPRESENTATIVES, SAMPLED_ROWS_PER_ANCHOR
from graphtailor.representatives.lift import Lifter
from graphtailor.representatives.representatives import place_representatives
from graphtailor.representatives.rows import Rows
from process import timed
from scale.data import BLOCK, Shape, block
from scale.measure import warm_up
from scale.methods import OURS
from scale.sets import DATA

REPEATS = 3
BRANCHES = 8
# Assumed: bytes a second between any two workers.
BANDWIDTH = 1e9
# Rows and workers to project to; the first line can be compared with `dask_cluster.py`.
SIZES = ((2 * 10**6, 2), (10**8, 32), (10**9, 32), (10**9, 256))


@dataclass(frozen=True)
class Costs:
    """CPU seconds on one thread, and bytes.

    Attributes
    ----------
    passes : dict of str to list of float
        Seconds of each pass over a block, reading included, repeated.
    alone : dict of str to float
        Seconds of what one worker does alone.
    merge : float
        Seconds to add up `BRANCHES` sums.
    sizes : dict of str to int
        Bytes of the sample, of what every worker gets, and of a block's sum.
    """

    passes: dict[str, list[float]]
    alone: dict[str, float]
    merge: float
    sizes: dict[str, int]


def measure(shape: Shape, m: int) -> Costs:
    """Costs of a fit with m representatives."""
    n_sampled = SAMPLED_ROWS_PER_ANCHOR * m
    drawn = [block(shape, number)[0] for number in range(1 + n_sampled // BLOCK)]
    sample, X = np.concatenate(drawn)[:n_sampled], drawn[0]
    rows = Rows(X).scaled_by("maxabs", np.empty(0))
    scaled = rows.like(sample).take(slice(None))
    links, placing = timed(lambda: place_representatives(scaled, m, 0))
    tally = blocks.tally_block(X, X.dtype, rows.empty(), links)
    model = GraphTailor(shape.n_clusters, representatives=m, random_state=0)
    _, clustering = timed(lambda: model.fit(links.points))
    lifter = model.lifter()
    return Costs(
        passes=passes_over(X, lifter),
        alone={"anchors": placing.cpu, "clusters": clustering.cpu},
        merge=timed(lambda: blocks.add([tally] * BRANCHES))[1].cpu,
        sizes={
            "sample": sample.nbytes,
            "anchors": links.points.nbytes + lifter.shares.nbytes,
            "sum": tally.masses.nbytes + tally.shared.data.nbytes,
        },
    )


def passes_over(X: np.ndarray, lifter: Lifter) -> dict[str, list[float]]:
    """CPU seconds of the four passes over a block in a Parquet file."""
    dtype, some = X.dtype, np.arange(0, len(X), 1000)
    scaling, links = lifter.scaling, lifter.representatives.links
    steps: dict[str, Callable[[Any], Any]] = {
        "check": lambda rows: blocks.overview_of_block(rows, dtype),
        "sample": lambda rows: blocks.take_rows(rows, dtype, some),
        "join": lambda rows: blocks.tally_block(rows, dtype, scaling, links),
        "label": lambda rows: blocks.indicator_of_block(rows, dtype, lifter),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "block.parquet")
        pd.DataFrame(X).rename(columns=str).to_parquet(path)
        return {
            name: [
                timed(lambda step=step: step(pd.read_parquet(path)))[1].cpu
                for _ in range(REPEATS)
            ]
            for name, step in steps.items()
        }


def dispatch_seconds(client: Any) -> float:
    """Seconds in which a scheduler hands out a task and hears that it is done."""
    client.gather(client.map(abs, range(100)))
    begin = time.perf_counter()
    client.gather(client.map(abs, range(1000, 4000)))
    return (time.perf_counter() - begin) / 3000


def simulate(n: int, n_workers: int, costs: Costs, dispatch: float) -> float:
    """Seconds of a fit: each pass hands out its blocks to whoever is free first."""
    rng = np.random.default_rng(0)
    n_blocks = -(-n // BLOCK)
    total = sum(costs.alone.values()) + costs.sizes["sample"] / BANDWIDTH
    for name, seconds in costs.passes.items():
        free = [costs.sizes["anchors"] / BANDWIDTH] * n_workers
        for number, duration in enumerate(rng.choice(seconds, n_blocks)):
            begin = max(heapq.heappop(free), number * dispatch)
            heapq.heappush(free, begin + duration)
        total += max(free)
        if name == "join":
            a_merge = costs.merge + BRANCHES * costs.sizes["sum"] / BANDWIDTH
            levels = np.ceil(np.log(n_blocks) / np.log(BRANCHES))
            total += a_merge * max(n_blocks / (BRANCHES - 1) / n_workers, levels)
    return total


def network_bytes(n: int, n_workers: int, costs: Costs) -> float:
    """What travels if no sum is merged where it was made: the most there can be."""
    sums = -(-n // BLOCK) * BRANCHES / (BRANCHES - 1) * costs.sizes["sum"]
    return costs.sizes["sample"] + 2 * n_workers * costs.sizes["anchors"] + sums


def show(m: int, costs: Costs, dispatch: float) -> None:
    """What was measured, and what follows from it."""
    print(f"\n{m} anchors\nmeasured, CPU-s: a block of {BLOCK:,} rows:", end="")
    for name, seconds in costs.passes.items():
        print(f" {name} {np.median(seconds):.2f}", end="")
    print(f" merge {costs.merge:.3f}; one worker alone:", end="")
    for name, once in costs.alone.items():
        print(f" {name} {once:.1f}", end="")
    print("\nmeasured, MB:", end="")
    for name, size in costs.sizes.items():
        print(f" {name} {size / 1e6:.1f}", end="")
    print(f"\n{'PROJECTION rows':>20}  workers  minutes  GB sent at most")
    for n, n_workers in SIZES:
        minutes = simulate(n, n_workers, costs, dispatch) / 60
        sent = network_bytes(n, n_workers, costs) / 1e9
        print(f"{n:>20,} {n_workers:>8} {minutes:>8.1f} {sent:>16.2f}")


def run_projection() -> None:
    """Measure on a local cluster, and print what follows for large ones."""
    from distributed import Client, LocalCluster

    shape = DATA["blobs-1e6"].source
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        dispatch = dispatch_seconds(client)
        print(f"measured: {1e3 * dispatch:.2f} ms to hand out a task", flush=True)
        worker = next(iter(client.nthreads()))
        client.submit(warm_up, OURS, workers=[worker]).result()
        for m in (1_000, REPRESENTATIVES):
            costs = client.submit(measure, shape, m, workers=[worker]).result()
            show(m, costs, dispatch)
