"""A measured learner leaves the rows of others where they are."""

import pandas as pd

from graphs import merged


def test_new_rows_take_the_places_of_old_ones(tmp_path):
    path = tmp_path / "graphs.csv"
    rows = [
        {"data": data, "learner": learner, "kept": "all", "within": 0.5}
        for data in ("iris", "wine")
        for learner in ("neighbours", "CAN")
    ]
    merged(rows, path).to_csv(path, index=False)
    new = [rows[0] | {"within": 0.25}, rows[3] | {"learner": "LRR", "within": 1.0}]
    found = merged(new, path)
    assert found["within"].tolist() == [0.25, 0.5, 0.5, 0.5, 1.0]
    assert found["learner"].tolist() == [*("neighbours", "CAN") * 2, "LRR"]
    assert found.columns.tolist() == pd.read_csv(path).columns.tolist()
