"""skrub: its TableVectorizer may stand in front."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from graphtailor import GraphTailor, clustering_scores

REASON = "NOT CHECKED with skrub: `make test-integrations` installs it"
skrub = pytest.importorskip("skrub", reason=REASON)


@pytest.mark.parametrize("has_gaps", [False, True])
def test_a_table_vectorizer_may_stand_in_front(has_gaps):
    rng = np.random.default_rng(0)
    group = np.arange(90) % 3
    frame = pd.DataFrame(
        {
            "size": 4 * group + rng.normal(size=90),
            "kind": np.array(["ash", "oak", "elm"])[group],
            "site": rng.choice(["north", "south"], 90),
        }
    )
    if has_gaps:
        frame.loc[3, "size"] = None
    pipeline = make_pipeline(skrub.TableVectorizer(), GraphTailor(3, random_state=0))
    labels = pipeline.fit(frame)[-1].labels_
    assert clustering_scores(group, labels)["ARI"] > 0.9
    np.testing.assert_array_equal(pipeline.predict(frame), labels)
    assert (pipeline[-1].blocks_ is not None) == has_gaps
