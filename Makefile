# One entry point for people and for CI. `make help` lists what there is.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Each rule that needs the environment depends on this stamp: it is remade when a dependency or a pin changes.
READY  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo hello docs browser kube check test soak conformance generate bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## create .venv with the pinned dependencies

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "konverge needs Python 3.11 or newer; this is %s. Try: make PYTHON=python3.12 test" % sys.version.split()[0])'
	@echo "==> setting up $(VENV) (once; a minute or so)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@PIP_CONSTRAINT=constraints.txt $(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY) ## a cluster on this machine, an operator, and a custom resource that becomes a web page
	@$(BIN)/python samples/markdownview/demo.py

hello: $(READY) ## the smallest operator at work on the embedded API server, in a few seconds
	@$(BIN)/python samples/hello/demo.py

docs: $(READY) ## the documentation as a site, in build/docs
	@$(BIN)/mkdocs build --quiet --strict

browser: $(READY) ## Chromium and its driver, for the test of the demo's page
	@$(BIN)/python tools/browser.py

kube: $(READY) ## build the real etcd, kube-apiserver, kube-controller-manager and kubectl (once, into the cache)
	@$(BIN)/python tools/kube/build.py

check: $(READY) ## lint, format, types, import layers
	@echo "==> ruff";          $(BIN)/ruff check
	@echo "==> format";        $(BIN)/ruff format --check
	@echo "==> mypy";          $(BIN)/mypy
	@echo "==> import-linter"; $(BIN)/lint-imports

test: kube browser check ## everything CI runs: set-up, checks and the suite, with a tenth of each long one
	@echo "==> tests"; $(BIN)/python tools/lanes.py

soak: kube ## the long suites alone, in full
	@$(BIN)/python tools/lanes.py --soak

conformance: kube ## Kubernetes' own tests on SERVER=embedded or SERVER=real (20 minutes; Go, once)
	@$(BIN)/python -m tools.conformance.run --server $(or $(SERVER),embedded)

generate: kube ## write the generated code anew: the models and the APIs from the real server, the blocking client
	@$(BIN)/python tools/generate_models.py
	@$(BIN)/python tools/capture_apis.py
	@$(BIN)/python tools/capture_protobuf.py
	@$(BIN)/python tools/capture_sources.py
	@$(BIN)/python tools/generate_blocking.py
	@$(BIN)/python -m tools.controller_gen.generate

bench/.venv/.ready: bench/requirements.txt pyproject.toml
	@test -x bench/.venv/bin/python || $(PYTHON) -m venv bench/.venv
	@bench/.venv/bin/pip install --quiet --disable-pip-version-check -r bench/requirements.txt --editable .
	@touch $@

bench: kube bench/.venv/.ready ## measure konverge beside its peers (half an hour; Go and Rust for the runtime)
	@bench/.venv/bin/python bench/client/run.py
	@$(BIN)/python bench/runtime/run.py
	@$(BIN)/python bench/apiserver/run.py
	@$(BIN)/python bench/up/run.py

clean: ## remove what was made here (the cache of Kubernetes programs stays)
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
