"""Toponymy and datamapplot on layers of GraphTailor: the code of their page."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

REASON = "NOT CHECKED with {}: pip install toponymy datamapplot"
pytest.importorskip("datamapplot", reason=REASON.format("datamapplot"))
# Otherwise a list of prices is looked for on the network.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
pytest.importorskip("toponymy", reason=REASON.format("Toponymy"))
from toponymy.llm_wrappers import LLMWrapper  # noqa: E402

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
        self.prompts = []

    def _call_llm(self, prompt, temperature, max_tokens):
        self.prompts.append(prompt["combined"])
        found = re.search("|".join(sum(WORDS.values(), ())), prompt["combined"])
        name = f"{found.group()} {len(self.prompts)}"
        return json.dumps({"topic_name": name, "topic_specificity": 0.5})

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


@pytest.mark.filterwarnings("ignore")
def test_the_code_of_the_page():
    rng = np.random.default_rng(0)
    kinds = np.repeat(list(WORDS), 40)
    documents = [" ".join(rng.choice(WORDS[kind], 8)) for kind in kinds]
    embedder, language_model = Embedder(documents), FirstWord()
    names = {
        "documents": documents,
        "embedder": embedder,
        "embeddings": embedder.encode(documents),
        "language_model": language_model,
    }
    exec(compile("\n".join(CODE.findall(PAGE.read_text())), str(PAGE), "exec"), names)
    topics = names["topics"]
    assert [len(layer) for layer in topics.topic_names_] == [9, 6, 3]
    assert len(language_model.prompts) >= 18
    for named, labels in zip(topics.topic_name_vectors_, names["layers"], strict=True):
        assert len(set(zip(named, labels, strict=True))) == labels.max() + 1
    # The coarsest topics are the three kinds of documents, named by their own words.
    for kind, words in WORDS.items():
        (name,) = set(topics.topic_name_vectors_[-1][kinds == kind])
        assert name.split()[0] in words
    assert str(topics.topic_tree_)
