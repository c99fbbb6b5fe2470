# Paishe: `make run` plays, `make test` proves, `make stack` plays in many processes. They need only make and Python
# 3.11 or newer.
# PYTHON chooses the interpreter of the environment; HOST and PORT where to serve.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --no-input --disable-pip-version-check --require-hashes

.PHONY: test-faults simulate bench-engine soak bench-live bench-bots shots run stack test lint types contracts migrations words unit postgres chromium format lock clean
.DEFAULT_GOAL := run

run: $(VENV)/run.stamp  ## everything on this machine: http://127.0.0.1:8000/
	@exec $(BIN)/python -m config.server

stack: $(VENV)/stack.stamp  ## the same as many processes: PostgreSQL, Valkey, two web processes, Celery, behind one PORT
	@exec $(BIN)/python -m config.stack

test: lint types contracts migrations words chromium postgres unit  ## all that must hold; the last part is the main run of pytest

lint: $(VENV)/test.stamp  ## style
	@echo '== lint'
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/test.stamp  ## types
	@echo '== types'
	@$(BIN)/mypy .

contracts: $(VENV)/test.stamp  ## who may import whom
	@echo '== contracts'
	@$(BIN)/lint-imports

migrations: $(VENV)/test.stamp  ## nothing in the models that no migration has
	@echo '== migrations'
	@$(BIN)/python manage.py makemigrations --check --dry-run --settings config.settings.test

words: $(VENV)/test.stamp  ## every word of the pages has its translations, compiled
	@echo '== words'
	@$(BIN)/python -m config.locale.words --check

chromium: $(VENV)/test.stamp  ## a browser for the tests, installed if missing
	@echo '== chromium'
	@$(BIN)/python -m tests.chromium

postgres: $(VENV)/test.stamp  ## the tests marked both_databases, on PostgreSQL
	@echo '== tests on PostgreSQL'
	@$(BIN)/python -m tests.servers $(BIN)/pytest -q -n 2 --dist loadfile -m both_databases

unit: $(VENV)/test.stamp  ## all tests, on SQLite
	@echo '== tests'
	@$(BIN)/pytest -q -n 2 --dist loadfile

bench-engine: $(VENV)/test.stamp var/bench/theirs.stamp  ## random deals beside RLCard and OpenSpiel; figures in var/bench/engine.json
	@$(BIN)/python -m tests.benchmarks.bench_engine

soak: $(VENV)/test.stamp  ## 20,000 random deals of each rule set, every promise checked, on all cores
	@$(BIN)/python -m tests.engine.soak

BENCH ?=
bench-live: $(VENV)/test.stamp var/bench/boardgameio.stamp  ## moves over real sockets, beside stock Channels and boardgame.io; figures in var/bench/live.json; BENCH=--quick, --long
	@$(BIN)/python -m tests.benchmarks.bench_live $(BENCH)

bench-bots: $(VENV)/test.stamp  ## the computer players against random ones, 2,000 deals each; fails below 60 % (Dou Dizhu 85 %)
	@$(BIN)/python -m tests.benchmarks.bench_bots

SEED ?= 1
DEALS ?= 2000
simulate: $(VENV)/test.stamp  ## processes that die, lines that break, on one clock; SEED tells the same story again
	@$(BIN)/python -m tests.simulation --seed '$(SEED)' --deals $(DEALS) $(if $(SHARD),--shard $(SHARD))

test-faults: $(VENV)/test.stamp  ## what dies, freezes, fills up or goes wrong while people play; about 15 minutes, a short form is in `make test`
	@echo '== each failpoint' && $(BIN)/python -m tests.faults.deaths --rounds 2
	@echo '== the single process' && $(BIN)/python -m tests.faults.kills --times 20
	@$(BIN)/pytest -q -s tests/faults/test_small_house.py
	@echo '== many at once' && $(BIN)/python -m tests.faults.races --seconds 20 && $(BIN)/python -m tests.faults.races --seconds 20 --sqlite
	@echo '== the whole house' && $(BIN)/python -m tests.faults.troubles

shots: $(VENV)/test.stamp chromium  ## pictures of every page in var/shots
	@$(BIN)/python -m tests.browser.shots

format: $(VENV)/test.stamp  ## put the style right
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# Pins with hashes, and no address of where they came from.
lock:  ## turn requirements/*.in into *.txt; needs uv
	cd requirements && for name in run stack test; do \
		uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header $$name.in -o $$name.txt; done

clean:  ## forget the environment and caches, never var/
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(BIN)/python:
	@test -n '$(PYTHON)' || { echo 'Paishe needs Python 3.11 or newer: make PYTHON=/path/to/python3' >&2; exit 1; }
	@echo 'making the environment ($(VENV))'
	@$(PYTHON) -m venv $(VENV) || { echo 'no venv: on Debian, apt install python3-venv' >&2; rm -rf $(VENV); exit 1; }

# The engines of others, beside the house and not in it.
var/bench/theirs.stamp: tests/benchmarks/theirs.txt | $(BIN)/python
	@echo 'installing what the engine is compared with'
	@$(BIN)/python -m venv var/bench/theirs
	@var/bench/theirs/bin/python -m pip install -qq --no-input --disable-pip-version-check --require-hashes -r $<
	@touch $@

# boardgame.io adds its pages after koa has composed what it serves, which koa-compose 4.2 does not see any more.
var/bench/boardgameio.stamp: tests/benchmarks/live/boardgameio.cjs
	@command -v npm >/dev/null || { echo 'the comparison needs node and npm' >&2; exit 1; }
	@mkdir -p var/bench/boardgameio
	@echo '{"private": true}' > var/bench/boardgameio/package.json
	@cd var/bench/boardgameio && npm install --silent --no-package-lock --no-audit --no-fund boardgame.io@0.50.2 koa@2.13.4 koa-compose@4.1.0
	@touch $@

# A stamp is younger than the pins it was made from; the environment of the tests has all of the other.
$(VENV)/run.stamp: requirements/run.txt | $(BIN)/python
	@echo 'installing what Paishe runs on'
	@$(PIP) -r $<
	@touch $@

$(VENV)/stack.stamp: requirements/stack.txt | $(BIN)/python
	@echo 'installing what the stack runs on'
	@$(PIP) -r $<
	@touch $@ $(VENV)/run.stamp

$(VENV)/test.stamp: requirements/test.txt | $(BIN)/python
	@echo 'installing what the tests need'
	@$(PIP) -r $<
	@touch $@ $(VENV)/run.stamp $(VENV)/stack.stamp
