"""Toponymy and datamapplot on layers of GraphTailor: the code of their page."""

import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

REASON = "NOT CHECKED with {}: `make test-integrations` installs it"
pytest.importorskip("datamapplot", reason=REASON.format("datamapplot"))
# Otherwise a list of prices is looked for on the network.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
pytest.importorskip("toponymy", reason=REASON.format("Toponymy"))
from toponymy import ClusterLayerText, Toponymy  # noqa: E402
from toponymy.clustering import centroids_from_labels  # noqa: E402
from toponymy.llm_wrappers import LLMWrapper  # noqa: E402

from graphtailor import GraphTailor  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "toponymy.md"
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
WORDS = {
    "sea": ("ship", "harbour", "sailor", "anchor", "storm", "wave", "captain"),
    "kitchen": ("oven", "flour", "butter", "sugar", "knife", "bowl", "dough"),
    "stars": ("planet", "orbit", "comet", "telescope", "galaxy", "moon", "crater"),
}


class FirstWord(LLMWrapper):
    """Names a topic by the first of our words in the prompt; needs no model."""

    def __init__(self):
        self.given = []

    def _call_llm(self, prompt, temperature, max_tokens):
        found = re.search("|".join(sum(WORDS.values(), ())), prompt["combined"])
        self.given.append(f"{found.group()} {len(self.given)}")
        return json.dumps({"topic_name": self.given[-1], "topic_specificity": 0.5})

    def _call_llm_with_system_prompt(self, prompt, temperature, max_tokens):
        raise AssertionError("supports_system_prompts is False")

    def generate_topic_cluster_names(self, prompt, old_names, **options):
        return old_names  # names that are much alike stay

    @property
    def supports_system_prompts(self):
        return False


class Embedder:
    """Texts as vectors, in the place of a language model."""

    def __init__(self, documents):
        svd = TruncatedSVD(10, random_state=0)
        self.model = make_pipeline(TfidfVectorizer(), svd).fit(documents)

    def encode(self, texts, **options):
        return self.model.transform(texts)


def three_kinds(each):
    """Documents of three kinds, what turns texts into vectors, and the kinds."""
    rng = np.random.default_rng(0)
    kinds = np.repeat(list(WORDS), each)
    documents = [" ".join(rng.choice(WORDS[kind], 8)) for kind in kinds]
    return documents, Embedder(documents), kinds


@pytest.mark.filterwarnings("ignore")
def test_the_code_of_the_page():
    documents, embedder, kinds = three_kinds(40)
    language_model = FirstWord()
    names = {
        "documents": documents,
        "embedder": embedder,
        "embeddings": embedder.encode(documents),
        "language_model": language_model,
    }
    exec(compile("\n".join(CODE.findall(PAGE.read_text())), str(PAGE), "exec"), names)
    topics = names["topics"]
    assert [len(layer) for layer in topics.topic_names_] == [9, 6, 3]
    for layer in topics.topic_names_:
        assert set(layer) <= set(language_model.given)
    for named, labels in zip(topics.topic_name_vectors_, names["layers"], strict=True):
        assert len(set(zip(named, labels, strict=True))) == labels.max() + 1
    # The coarsest topics are the three kinds of documents, named by their own words.
    for kind, words in WORDS.items():
        (name,) = set(topics.topic_name_vectors_[-1][kinds == kind])
        assert name.split()[0] in words
    assert str(topics.topic_tree_)


@pytest.mark.filterwarnings("ignore")
def test_all_layers_and_their_tree():
    documents, embedder, _ = three_kinds(8)
    vectors = embedder.encode(documents)
    model = GraphTailor(metric="cosine", random_state=0).fit(vectors)
    layers = [
        ClusterLayerText(labels, centroids_from_labels(labels, vectors), layer_id=i)
        for i, labels in enumerate(model.cluster_layers_)
    ]
    ours = SimpleNamespace(cluster_layers_=layers, cluster_tree_=model.cluster_tree_)
    topics = Toponymy(FirstWord(), embedder, ours).fit(documents, vectors, vectors)
    named = [len(layer) for layer in topics.topic_names_]
    assert named == [labels.max() + 1 for labels in model.cluster_layers_]
    assert len(named) > 3
    shown = str(topics.topic_tree_)
    assert all(name in shown for name in topics.topic_names_[-1])
