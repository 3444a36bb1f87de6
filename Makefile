# Sparkloom: every target installs what it needs and says what it does.
#   make demo        bring up the virtual rack and run the main job on it
#   make test        every test; what CI runs
#   make test-fast   lint, unit and contract tests: minutes, no guests
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help demo test test-fast lint sanity unit contract molecule lab-test lab-tools schema golden findings clean

VENV := .venv
BIN := $(VENV)/bin
RUN_READY := $(VENV)/.installed-run
DEV_READY := $(VENV)/.installed-dev
say = @printf '\n== %s\n' "$(1)"
export PATH := $(CURDIR)/$(BIN):$(PATH)
export ANSIBLE_CONFIG := $(CURDIR)/ansible.cfg
PYTEST_JOBS ?= 2

help:
	@sed -n 's/^#   //p' Makefile

$(BIN)/python:
	$(call say,Making a Python environment in $(VENV))
	python=$$(tools/find-python) && "$$python" -m venv $(VENV)

$(RUN_READY): requirements.txt | $(BIN)/python
	$(call say,Installing what Sparkloom runs on (requirements.txt))
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(DEV_READY): requirements.txt requirements-dev.txt | $(BIN)/python
	$(call say,Installing what its tests need (requirements-dev.txt))
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(RUN_READY)

lab-tools:
	$(call say,Looking for the tools of the virtual rack)
	lab/install-tools

demo: $(RUN_READY) lab-tools
	$(call say,The story: eight virtual Sparks behind a CRS812 and a CRS804)
	tools/demo

test: lint unit contract sanity molecule lab-test
	$(call say,All tests passed)

test-fast: lint unit contract

lint: $(DEV_READY)
	$(call say,Lint: ruff; mypy; yamllint; ansible-lint)
	ruff check .
	ruff format --check .
	mypy plugins/plugin_utils plugins/module_utils lab
	yamllint --strict .
	ansible-lint --offline

sanity: $(DEV_READY)
	$(call say,ansible-test sanity)
	tools/sanity

unit: $(DEV_READY)
	$(call say,Unit tests)
	pytest tests/unit -n $(PYTEST_JOBS) -q

contract: $(DEV_READY)
	$(call say,Contract tests: modules and foreign clients against the virtual CRS)
	pytest tests/contract -n $(PYTEST_JOBS) -q

molecule: $(DEV_READY)
	$(call say,Roles in containers: molecule)
	tools/molecule-test

lab-test: $(DEV_READY) lab-tools
	$(call say,The main job on the virtual rack)
	pytest tests/lab -q

golden: $(DEV_READY)
	$(call say,Rewriting the goldens of the plan)
	tools/golden

findings: $(DEV_READY)
	$(call say,Writing docs/findings.md from the rules)
	python tools/findings

schema: $(DEV_READY)
	$(call say,Writing docs/cluster.schema.json)
	PYTHONPATH=collections python -c 'from ansible_collections.sparkloom.cluster.plugins.plugin_utils import schema; \
	  print(schema.schema_text(), end="")' >docs/cluster.schema.json.new
	mv docs/cluster.schema.json.new docs/cluster.schema.json

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .ansible reports
