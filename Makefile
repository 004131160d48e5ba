# `make help` lists what there is. Every target brings what it needs; a second call touches no package index.
PYTHON ?= python3
BIN := .venv/bin
CATALOGS := $(patsubst %.po,%.mo,$(wildcard locale/*/LC_MESSAGES/*.po))
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

.PHONY: help run test check lock messages stores
.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' Makefile

run: .venv/base $(CATALOGS) ## Start the site at http://127.0.0.1:8000
	@exec $(BIN)/python manage.py serve

test: .venv/dev $(CATALOGS) ## Run all tests; ONLY="tests/agents" runs some
	@exec $(BIN)/python -m tests $(ONLY)

check: .venv/dev ## Format, lint, types, imports, Django's checks, missing migrations
	@PRE_COMMIT_HOME=.venv/pre-commit exec $(BIN)/pre-commit run --all-files

stores: .venv/dev ## Throw-away PostgreSQL and Redis to work against, until Ctrl-C
	@exec $(BIN)/python -m tests.throwaway

messages: .venv/dev ## Collect translatable texts (needs gettext's tools)
	$(BIN)/python manage.py makemessages --locale zh_Hans --no-location --no-obsolete --ignore 'tests/*' --ignore 'var/*'

lock: $(BIN)/uv ## Renew requirements/*.txt; UPGRADE=--upgrade takes newer versions
	$(COMPILE) $(UPGRADE) requirements/uv.in -o requirements/uv.txt
	$(COMPILE) $(UPGRADE) requirements/base.in -o requirements/base.txt
	$(COMPILE) $(UPGRADE) requirements/dev.in -c requirements/base.txt -o requirements/dev.txt
	$(COMPILE) $(UPGRADE) requirements/community.in -c requirements/base.txt -o requirements/community.txt
	$(COMPILE) $(UPGRADE) requirements/throwaway.in -o requirements/throwaway.txt

# The environment, and stamps that say what is installed in it.
.venv/base .venv/dev: .venv/%: requirements/%.txt $(BIN)/uv
	@echo "Installing $<"
	@$(INSTALL) $< && touch $@

$(BIN)/uv: requirements/uv.txt
	@$(PYTHON) requirements/check_python.py
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $< && touch $@

%.mo: %.po .venv/base
	@$(BIN)/python -c 'import polib, sys; polib.pofile(sys.argv[1]).save_as_mofile(sys.argv[2])' $< $@
