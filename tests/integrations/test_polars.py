"""polars: tables in, memberships out as tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from graphtailor import GraphTailor
from graphtailor.graphs.ensemble.members import KMeansMembers, SpectralMembers
from graphtailor.tables import read_table

REASON = "NOT CHECKED with polars: `make test-integrations` installs it"
pl = pytest.importorskip("polars", reason=REASON)

IRIS = load_iris()
COLUMNS = {f"f{j}": IRIS.data[::2, j] for j in range(4)}
KINDS = {"kind": IRIS.target_names[IRIS.target[::2]].tolist()}


def quick():
    members = [KMeansMembers(), SpectralMembers()]
    return GraphTailor(3, members=members, random_state=0)


@pytest.mark.parametrize(
    "columns", [COLUMNS, COLUMNS | KINDS], ids=["numbers", "mixed"]
)
def test_a_polars_table_is_its_pandas_table(columns):
    table = pl.DataFrame(columns)
    model = quick().fit(table)
    expected = quick().fit(pd.DataFrame(columns))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    np.testing.assert_array_equal(model.feature_names_in_, expected.feature_names_in_)


def test_memberships_come_as_a_polars_table():
    table = pl.DataFrame(COLUMNS)
    model = quick().set_output(transform="polars")
    V = model.fit_transform(table)
    assert isinstance(V, pl.DataFrame)
    assert V.columns == ["graphtailor0", "graphtailor1", "graphtailor2"]
    np.testing.assert_array_equal(V.to_numpy(), model.indicator_)


def test_columns_in_another_order_are_refused():
    table = pl.DataFrame(COLUMNS)
    model = quick().fit(table)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table.select(table.columns[::-1]))


def test_gaps_and_weights():
    table = pl.DataFrame({**COLUMNS, "gap": [None, 1.0, 2.0] * 25})
    weights = np.arange(75) % 4
    model = quick().fit(table, sample_weight=weights)
    np.testing.assert_array_equal(model.predict(table), model.labels_)


def test_a_lazy_table_is_refused_with_the_way_out():
    with pytest.raises(TypeError, match=r"polars LazyFrame. Use X\.collect\(\)"):
        quick().fit(pl.DataFrame(COLUMNS).lazy())


def test_files_of_polars(tmp_path):
    frame = pl.DataFrame({"a": [1.5, 2.5, 4.0, 3.5], "tags": [["x"], ["y"]] * 2})
    for ending, write in (("arrow", "write_ipc"), ("parquet", "write_parquet")):
        getattr(frame, write)(tmp_path / f"t.{ending}")
        read = read_table(str(tmp_path / f"t.{ending}")).frame
        assert read["a"].tolist() == [1.5, 2.5, 4.0, 3.5]
