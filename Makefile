# `make demo`, `make test` and `make docs` set up everything they need in ./.venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Data sets that may not be bundled are looked for in the folder GRAPHTAILOR_DATA; tests
# that need them skip and say so where it is not set.

.PHONY: demo test lint types unit fuzz docs format clean

demo: $(VENV)/.ready
	$(BIN)/graphtailor fit wine --clusters 3 --label class --output demo --report demo/report.html

test: $(VENV)/.ready-test lint types unit

lint: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready-test
	$(BIN)/mypy

unit: $(VENV)/.ready-test
	$(BIN)/pytest -n auto --dist worksteal

# Hostile inputs: hundreds of examples a method, thousands a loader, others each time.
fuzz: $(VENV)/.ready-test
	HYPOTHESIS_PROFILE=fuzz $(BIN)/pytest tests/fuzz -n auto --dist worksteal

# Examples that have not changed are not run again.
docs: $(VENV)/.ready-docs
	$(BIN)/python -m sphinx -b html -W --keep-going docs docs/_build/html

format: $(VENV)/.ready-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.ready-test: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@ $(VENV)/.ready

$(VENV)/.ready-docs: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	touch $@

clean:
	rm -rf $(VENV) demo build dist docs/_build docs/gallery docs/generated
