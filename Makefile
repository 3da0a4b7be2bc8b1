# Everything here works from a fresh clone: each target makes what it needs, in .venv and target.
# Files named .made-* in .venv mark what is done, so that a second run is quick.

SHELL := bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

VENV := .venv
PY := $(VENV)/bin/python
# pip would compile thousands of modules of which the tests import a few: hence --no-compile
PIP := $(PY) -m pip --disable-pip-version-check --quiet
CONSTRAINTS := constraints.txt
EXTRAS := arrow,spark,cli,kafka
# Some names may not exist yet; wildcard drops those.
SOURCES := Cargo.toml Cargo.lock pyproject.toml LICENSE $(shell find src proto python -type f -not -name '*.pyc' -not -name '*.so' 2>/dev/null)
PYTHON_CODE := $(wildcard python/jelly python/pyspark_jelly* benches/python examples scripts)

# Tests that need the shared folder are ignored, and counted, where it is not.
SHARED := $(wildcard $(or $(JELLY_SHARED),../shared))
IGNORED := $(if $(SHARED),-- --include-ignored)
# Unit tests take a moment, and the crate a fifth of the time to compile without optimization.
UNIT_TESTS := CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test --locked --lib
RUST_TESTS := cargo test --locked --test '*'
ALL_RUST_TESTS := $(UNIT_TESTS) && $(RUST_TESTS) $(IGNORED) && cargo test --locked --doc
# Parts of the Python tests that run in programs of their own, so that all programs end at about the same time. Those of
# Spark start many Java programs, and wait for them.
APART := tests/python/interop tests/python/replica
LOGS := $(wildcard $(addprefix tests/python/test_,addresses.py delta*.py grpc*.py log*.py object*.py page*.py push*.py serv*.py tls*.py watch*.py))
SPARK_APART := $(addprefix tests/python/spark/,kafka test_connect.py test_files_killed.py test_log_killed.py test_session.py)

# SPARK=no leaves out the tests that need Java. PYTEST_ARGS goes to pytest.
SPARK ?= yes
PYTEST_ARGS ?=
SOAK ?= 20
FUZZ_SECONDS ?= 60
FUZZ_RUNS ?= -1
FUZZ_TARGETS ?=

NEEDS_build := rust c python
NEEDS_java := $(NEEDS_build) java
ifeq ($(SPARK),no)
NEEDS_test := $(NEEDS_build)
MARKS := not soak and not spark
else
NEEDS_test := $(NEEDS_java)
MARKS := not soak
endif

# Spark starts its workers with PYSPARK_PYTHON and talks to them on this machine only.
export PYSPARK_PYTHON := $(CURDIR)/$(PY)
export PYSPARK_DRIVER_PYTHON := $(CURDIR)/$(PY)
export SPARK_LOCAL_IP := 127.0.0.1
# Temporary files stay in the repository, those of Java too.
SCRATCH := $(CURDIR)/target/scratch
export TMPDIR := $(SCRATCH)
export SPARK_LOCAL_DIRS := $(SCRATCH)
export PYSPARK_SUBMIT_ARGS = --driver-java-options '-Djava.io.tmpdir="$(SCRATCH)" -XX:-UsePerfData $(JAVA_OPTIONS)' pyspark-shell
# Tests run each query once or twice: the second compiler and the collector of servers cost more than they save.
test try try-python soak: export JAVA_OPTIONS := -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
# What is installed elsewhere must not stand in for what is installed here. Tests start hundreds of Python programs, which
# keep the modules that they compile.
unexport PYTHONPATH PYTHONHOME SPARK_HOME VIRTUAL_ENV PYTHONDONTWRITEBYTECODE
export PYTHONNOUSERSITE := 1

.PHONY: help
help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "Options: PYTHON=python3.12 (which Python), SPARK=no (test without Java), PYTEST_ARGS='-k name'"

.PHONY: demo
demo: needs-java $(VENV)/.made-wheel ## Make a change log of Turtle files, decode it in Spark and apply it
	$(PY) examples/demo.py

.PHONY: test
test: needs-test $(VENV)/.made-quick $(VENV)/.made-test ## Tests of the Rust crate and of the installed wheel, several programs at a time
ifneq ($(PYTEST_ARGS),)
	$(PY) -m pytest -m '$(MARKS)' $(PYTEST_ARGS)
else
	scripts/side_by_side.sh "$(ALL_RUST_TESTS)" \
	  $(if $(filter yes,$(SPARK)),"$(PY) -m pytest -m '$(MARKS) and spark' tests/python/spark $(SPARK_APART:%=--ignore=%)") \
	  "$(PY) -m pytest -m '$(MARKS) and not spark' $(LOGS)" \
	  "$(PY) -m pytest -m '$(MARKS) and not spark' $(addprefix --ignore=,$(APART) $(LOGS))" \
	  $(if $(filter yes,$(SPARK)),"$(PY) -m pytest -m '$(MARKS) and spark' $(SPARK_APART)") \
	  "$(PY) -m pytest -m '$(MARKS) and not spark' $(APART)"
endif

.PHONY: try
try: needs-java $(VENV)/.made-quick $(VENV)/.made-test $(VENV)/.made-bench ## Start each benchmark, fuzz target and script once, briefly
	scripts/side_by_side.sh '$(MAKE) try-rust' '$(MAKE) try-python'

.PHONY: try-rust try-python
try-rust: needs-build
	cargo test --locked --benches
	scripts/fuzz.sh --once

try-python: needs-java $(VENV)/.made-quick $(VENV)/.made-test $(VENV)/.made-bench
	$(PY) benches/python/compare.py --quick --only patch
	mkdir -p $(SCRATCH)/try
	set -e; for name in patching replicas spark_patching; do \
	  $(PY) benches/python/$$name.py $(SCRATCH)/try --quads 2000 --changes 200; done
	$(PY) benches/python/service.py $(SCRATCH)/try --publishes 32 --patches 20 --rows 1000 --megabytes 1 --versions 20
	$(PY) benches/python/streams.py $(SCRATCH)/try --quads 2000 --rounds 1
	$(PY) benches/python/service_peers.py $(SCRATCH)/try --quads 2000 --rounds 1 --patches 5
	rm -rf $(SCRATCH)/try
	$(PY) examples/demo.py

.PHONY: soak
soak: needs-java $(VENV)/.made-wheel $(VENV)/.made-test ## All tests, the long ones too, with SOAK=20 times the random cases
	export JELLY_SOAK=$(SOAK); $(ALL_RUST_TESTS)
	JELLY_SOAK=$(SOAK) $(PY) -m pytest -m 'soak or not soak' -o timeout=0 $(PYTEST_ARGS)

.PHONY: fuzz
fuzz: needs-build ## Fuzz each target FUZZ_SECONDS=60 long; FUZZ_TARGETS='rdf lines' for these only
	FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_RUNS=$(FUZZ_RUNS) scripts/fuzz.sh $(FUZZ_TARGETS)

.PHONY: bench
bench: needs-build $(VENV)/.made-wheel $(VENV)/.made-bench ## Benchmarks: ours, then against other libraries
	cargo bench --locked
	$(PY) benches/python/compare.py

.PHONY: wheel
wheel: needs-build $(VENV)/.made-build ## The wheel for all Pythons and the sdist, checked, in dist/
	rm -rf dist
	scripts/wheel.sh --out dist $(if $(filter Linux,$(shell uname -s)),--zig --compatibility manylinux2014)
	$(PY) -m maturin sdist --out dist
	$(PY) scripts/check_wheel.py dist

.PHONY: lint
lint: needs-build $(VENV)/.made-quick $(VENV)/.made-test $(VENV)/.made-lint ## Formatting, clippy, docs, ruff, types, stubs
	scripts/side_by_side.sh '$(MAKE) lint-rust' '$(MAKE) lint-python'

.PHONY: lint-rust lint-python
lint-rust: needs-build
	cargo fmt --check
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	cargo metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null # its lock file is fresh
	cargo clippy --locked --no-default-features --lib -- -D warnings
	cargo clippy --locked --all-targets --features python -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps --document-private-items

lint-python: needs-build $(VENV)/.made-quick $(VENV)/.made-test $(VENV)/.made-lint
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy $(PYTHON_CODE) tests/python
	cd target && ../$(PY) -m mypy.stubtest jelly._internal

.PHONY: fmt
fmt: $(VENV)/.made-lint ## Format the code
	cargo fmt
	cargo fmt --manifest-path fuzz/Cargo.toml
	$(PY) -m ruff check --fix-only
	$(PY) -m ruff format

.PHONY: constraints
constraints: needs-build $(VENV)/.made-wheel ## Resolve the newest versions into constraints.txt
	rm -rf target/resolve && $(PY) -m venv target/resolve
	target/resolve/bin/pip install --quiet --upgrade pip
	target/resolve/bin/pip install --quiet --group build --group test --group lint --group bench \
	  "$$(echo target/wheels/*.whl)[$(EXTRAS)]"
	target/resolve/bin/pip freeze --all --exclude jelly-patch --exclude setuptools > $(CONSTRAINTS)

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf .venv target dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis spark-warehouse metastore_db
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What the machine must have

.PHONY: needs-build needs-java needs-test
needs-build needs-java needs-test:
	@mkdir -p target/scratch
	@scripts/doctor.sh $(NEEDS_$(@:needs-%=%)) || { $(if $(filter java,$(NEEDS_$(@:needs-%=%))),echo "Tests without Java: make test SPARK=no" >&2;) exit 1; }

# The environment

$(VENV)/.made-pip: $(CONSTRAINTS)
	@python=$$(scripts/doctor.sh find-python) && "$$python" -m venv $(VENV)
	$(PIP) install --no-compile --upgrade --constraint $(CONSTRAINTS) pip
	@touch $@

$(VENV)/.made-build $(VENV)/.made-test $(VENV)/.made-lint $(VENV)/.made-bench: $(VENV)/.made-%: pyproject.toml $(VENV)/.made-pip
	$(PIP) install --no-compile --constraint $(CONSTRAINTS) --group $*
	@touch $@

# The wheel with all extras; only the wheel itself is installed anew after a change. There are two, of which one is
# installed: as users get it, and for tests, which is built sooner and checks arithmetic.
$(VENV)/.made-wheel: $(SOURCES) scripts/wheel.sh $(VENV)/.made-build
	rm -rf target/wheels $(VENV)/.made-quick
	scripts/wheel.sh --out target/wheels
	$(INSTALL_WHEEL)

$(VENV)/.made-quick: $(SOURCES) $(VENV)/.made-build
	rm -rf target/quick $(VENV)/.made-wheel
	CARGO_PROFILE_DEV_DEBUG=false $(PY) -m maturin build --locked --interpreter $(PY) --out target/quick
	$(INSTALL_WHEEL)

define INSTALL_WHEEL
$(PIP) install --no-compile --force-reinstall --no-deps $(if $(findstring quick,$@),target/quick,target/wheels)/*.whl
$(PIP) install --no-compile --constraint $(CONSTRAINTS) 'jelly-patch[$(EXTRAS)]'
@touch $@
endef
