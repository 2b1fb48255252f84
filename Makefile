.DEFAULT_GOAL := help
BIN := .venv/bin
PYTHON ?= python3

.PHONY: help setup demo test check lint types cover fix lock

help: ## List the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

setup: .venv/ready ## Make the environment (once)

.venv/ready: pyproject.toml requirements-dev.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: .venv/ready ## The main job on the examples: embedded judge, no key, no network
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

test: .venv/ready ## The tests
	$(BIN)/python -m pytest -n auto $(ARGS)

check: lint types cover ## Format, lint, types, tests, coverage

lint: .venv/ready ## Format and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/ready ## Types
	$(BIN)/mypy

cover: .venv/ready ## Tests with branch coverage
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

fix: .venv/ready ## Let the tools mend what they can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: .venv/ready ## Pin every dependency again
	$(BIN)/uv pip compile pyproject.toml --group dev --extra all --universal \
	  --generate-hashes --no-header --quiet --no-annotate --output-file requirements-dev.txt
