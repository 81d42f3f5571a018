"""BERTopic, with GraphTailor in the place of HDBSCAN, on given embeddings."""

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor

REASON = "NOT CHECKED with BERTopic: `make test-integrations` installs it"
bertopic = pytest.importorskip("bertopic", reason=REASON)

from bertopic.dimensionality import BaseDimensionalityReduction  # noqa: E402

WORDS = {
    "sea": ("ship", "harbour", "sailor", "anchor", "storm", "wave", "captain"),
    "kitchen": ("oven", "flour", "butter", "sugar", "knife", "bowl", "dough"),
    "stars": ("planet", "orbit", "comet", "telescope", "galaxy", "moon", "crater"),
}


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(0)
    kinds = np.repeat(list(WORDS), 30)
    return [" ".join(rng.choice(WORDS[kind], 8)) for kind in kinds], kinds


@pytest.fixture(scope="module")
def fitted(texts):
    documents, _ = texts
    tfidf = TfidfVectorizer().fit_transform(documents)
    embeddings = TruncatedSVD(10, random_state=0).fit_transform(tfidf)
    # The number is given: open, 3 and 4 have the same score here, and 4 is taken.
    clusterer = GraphTailor(3, metric="cosine", random_state=0)
    model = bertopic.BERTopic(
        hdbscan_model=clusterer, umap_model=BaseDimensionalityReduction()
    )
    topics, probabilities = model.fit_transform(documents, embeddings)
    return model, clusterer, embeddings, np.asarray(topics), probabilities


def test_every_document_has_a_topic(fitted, texts):
    model, _, _, topics, _ = fitted
    assert topics.min() == 0
    assert adjusted_rand_score(texts[1], topics) == 1
    assert model.get_topic_info()["Topic"].min() == 0
    # BERTopic fills short lists of words up with empty ones.
    named = {word for word, _ in model.get_topic(0)} - {""}
    assert any(named <= set(words) for words in WORDS.values())


def test_probabilities_are_the_certainty_of_the_labels(fitted):
    _, clusterer, _, topics, probabilities = fitted
    np.testing.assert_array_equal(probabilities, clusterer.probabilities_)
    assert probabilities.shape == topics.shape
    assert probabilities.min() > 0
    assert probabilities.max() <= 1 + 1e-6


def test_new_documents_get_the_topics_of_the_fitted_ones(fitted, texts):
    model, _, embeddings, topics, _ = fitted
    again, _ = model.transform(texts[0][::7], embeddings[::7])
    np.testing.assert_array_equal(again, topics[::7])
