# `make demo`, `make test` and `make docs` set up everything they need in ./.venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Data sets that may not be bundled are read from the folder GRAPHTAILOR_DATA. Where it
# is not set, tests that need them are skipped with a message.

# Other people's packages have pins of their own: they are kept out of .venv.
INTEGRATIONS := .venv-integrations
.PHONY: demo test lint types unit fuzz attack mutate soak test-oldest test-integrations package audit docs format clean

demo: $(VENV)/.ready
	rm -rf demo
	$(BIN)/graphtailor fit wine --clusters 3 --label class --output demo --report demo/report.html

test: $(VENV)/.ready-test lint types unit

lint: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready-test
	$(BIN)/mypy

unit: $(VENV)/.ready-test
	$(BIN)/pytest -n auto --dist worksteal

# Hostile inputs: hundreds of examples for a method, thousands for a loader, new ones
# at each run.
fuzz: $(VENV)/.ready-test
	HYPOTHESIS_PROFILE=fuzz $(BIN)/pytest tests/fuzz -n auto --dist worksteal

# What strangers may try: hostile files, models, names, stores, numbers and matrices.
# The run ends after five minutes, done or not.
ATTACKS := $(addprefix tests/, \
	promises/test_no_pickle.py promises/test_file_bombs.py \
	promises/test_hostile_files.py promises/test_hostile_names.py \
	promises/test_hostile_numbers.py promises/test_damaged_sparse.py \
	promises/test_determinism.py io/test_hostile_models.py \
	cli/test_cli_hostile_models.py bench/test_store_faults.py dask/test_cluster.py \
	fuzz/test_fuzz_files.py)
attack: $(VENV)/.ready-test
	timeout 300 $(BIN)/pytest $(ATTACKS) -n auto --dist worksteal

# Ten thousand changed models, of both classes.
mutate: $(VENV)/.ready-test
	HYPOTHESIS_PROFILE=fuzz MUTATIONS=5000 $(BIN)/pytest -n auto --dist worksteal \
		tests/fuzz/test_fuzz_files.py -k "model.npz or anchors.npz"

# Ten thousand small fits of all methods, and what they leave in memory.
soak: $(VENV)/.ready-test
	$(BIN)/python benchmarks/soak.py --fits 10000

# The tests with the oldest versions that pyproject.toml allows.
OLDEST := .venv-oldest
test-oldest: $(OLDEST)/.ready
	$(OLDEST)/bin/python -m pytest -n auto --dist worksteal

$(OLDEST)/.ready: pyproject.toml ci/oldest.txt
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint ci/oldest.txt --editable ".[test]"
	touch $@

# scanpy, BERTopic, Toponymy, datamapplot, UMAP, polars, networkx, igraph and EVoC, the
# real ones.
test-integrations: $(INTEGRATIONS)/.ready
	$(INTEGRATIONS)/bin/python -m pytest tests/integrations

$(INTEGRATIONS)/.ready: pyproject.toml ci/integrations.txt
	$(PYTHON) -m venv --clear $(INTEGRATIONS)
	$(INTEGRATIONS)/bin/python -m pip install --quiet --disable-pip-version-check \
		--editable ".[cli,scanpy]" --requirement ci/integrations.txt pytest hypothesis
	$(INTEGRATIONS)/bin/python -m pip install --quiet --disable-pip-version-check \
		--no-deps "bertopic>=0.17" "toponymy>=0.5" "datamapplot>=0.7"
	touch $@

# Build the sdist and the wheel, install each into an empty venv, and try it.
package: $(VENV)/.ready-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "hatchling>=1.27" "twine>=6.1"
	$(BIN)/python tools/check_package.py

# Licences, and known weaknesses where the service that lists them can be reached.
audit: $(VENV)/.ready-test
	$(BIN)/python tools/licences.py
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit && \
		$(BIN)/python -m pip_audit --strict --progress-spinner off; \
		code=$$?; [ $$code -eq 0 ] || echo "pip-audit ended with $$code: weaknesses" \
		"are listed above, or its service does not know all packages from here."

# Examples that have not changed are not run again. scanpy, which one of them needs,
# holds pandas back: the pages have a venv of their own.
DOCS := .venv-docs
docs: $(DOCS)/.ready
	$(DOCS)/bin/python -m sphinx -b html -W --keep-going docs docs/_build/html

format: $(VENV)/.ready-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[cli]"
	touch $@

$(VENV)/.ready-test: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@ $(VENV)/.ready

$(DOCS)/.ready: pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) $(INTEGRATIONS) $(DOCS) demo build dist docs/_build docs/gallery docs/generated
