# Needs Python 3.11 or newer and git; everything else is installed into .venv.
# `make serve ARGS="--port 9000"` and `make test ARGS="tests/server -x"` pass arguments on.

PYTHON ?= $(shell python3.11 -c '' 2>/dev/null && echo python3.11 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

.PHONY: serve compile test test-long test-js check bench bench-peers clean ready from-debian from-npm
.DELETE_ON_ERROR:

# What `make compile` has made is used as long as nothing was changed since.
COMPILED := $(VENV)/compiled
PACKAGES := domain projections server clients/js/src
compiled = $(shell $(MAKE) -s -q $(COMPILED)/.made && echo $(CURDIR)/$(COMPILED))

serve: $(VENV)/.installed
	PYTHONPATH=$(compiled) $(BIN)/facedown serve $(ARGS)

# Optional, in about a minute: moves then cost some 40% less. Needs a C compiler and Python's headers.
compile: $(COMPILED)/.made

$(COMPILED)/.made: scripts/compile $(shell find $(PACKAGES) -type f -not -name '*.pyc') | $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[compile]'
	$(BIN)/python scripts/compile $(COMPILED)
	@touch $@

# Where the environment says not to keep what Python compiles its modules to, every start would do that anew, which
# takes longer than all the rest of it; the tests start hundreds of servers.
serve bench bench-peers test test-long: export PYTHONDONTWRITEBYTECODE =
KEEP_BYTECODE = PYTHONDONTWRITEBYTECODE= $(BIN)/python -c 'import server.cli, server.run, domain.registry as r; r.games()'

# What the tests need comes from three places, none of which waits for another. Node.js itself comes last, where
# it has to come from the one that is busy before.
ready:
	@$(MAKE) --no-print-directory -j3 $(VENV)/.installed-dev from-debian from-npm
	scripts/setup-node $(BIN)

from-debian:
	scripts/setup-debian

from-npm:
	scripts/setup-node

# All tests together must reach the branch coverage that pyproject.toml demands.
COVERAGE := --cov --cov-report=

test: ready
	$(BIN)/python -m pytest -n auto --dist worksteal $(or $(ARGS),$(COVERAGE))

test-long: ready
	FACEDOWN_LONG=1 $(BIN)/python -m pytest -n auto --dist worksteal -m "long or not long" $(ARGS)

# The JavaScript client; needs Node.js 20 or newer.
test-js: $(VENV)/.installed
	cd clients/js && npm install --no-audit --no-fund --silent && npm test

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Measures this server, compiled; needs a C compiler. `make bench ARGS=--quick` shows that everything runs, and
# `make bench COMPILE=no` measures it as it is without.
COMPILE ?= yes
bench bench-peers: export PYTHONSAFEPATH = $(COMPILE)
ifeq ($(COMPILE),yes)
bench bench-peers: $(COMPILED)/.made
bench bench-peers: export PYTHONPATH = $(CURDIR)/$(COMPILED):$(CURDIR)
else
bench bench-peers: export PYTHONPATH = $(CURDIR)
endif

bench: $(VENV)/.installed-dev
	$(BIN)/python -m tests.benchmarks $(ARGS)

# The same beside other servers, in pairs; needs Node.js 20 or newer. Their packages stay in the folder.
PEERS ?= $(VENV)/peers
bench-peers: $(VENV)/.installed-dev
	$(BIN)/python -m tests.benchmarks.pairs $(PEERS) $(ARGS)

# Leaves the data of a server in ./facedown-data alone.
clean:
	rm -rf $(VENV) build dist .coverage .coverage.* htmlcov
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .grimp_cache
	find . -name __pycache__ -type d -not -path '*/node_modules/*' -prune -exec rm -rf {} +

# An interrupted run can leave a folder without pip behind: it is made anew. The pip of older Pythons takes half
# as long again to install what the tests need.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Facedown needs Python 3.11 or newer; name one with PYTHON=/path/to/python'; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV) || \
	  { echo 'Could not make $(VENV). On Debian and Ubuntu install the package python3-venv.'; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=26' || echo 'going on with an older pip'
	@touch $@

PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

$(VENV)/.installed: $(VENV)/.made pyproject.toml constraints.txt
	$(PIP_INSTALL) -e .
	@$(KEEP_BYTECODE)
	@touch $@

# All at once, because to find out what is needed takes as long for a part. Nothing is compiled but what is used,
# here or when it is used first: most of it never is.
$(VENV)/.installed-dev: $(VENV)/.made pyproject.toml constraints.txt
	$(PIP_INSTALL) --no-compile -e '.[dev]'
	@$(KEEP_BYTECODE)
	@touch $(VENV)/.installed $@
