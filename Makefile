# Each target works on a machine that has only Python 3.11 to 3.13 and make: what it needs is installed into .venv first.
# A target that was done before does nothing again; .venv/done-* are the marks of what was done.

PYTHON = .venv/bin/python
SAY = @echo "tapescope:"
# uv is many times faster than pip, and is used where it is on the PATH; with either one, only what the locks name
# and whose hash fits is installed. Bytecode is compiled now, or every start of a command would compile it again.
INSTALL = if command -v uv >/dev/null; then set -- uv pip install --quiet --python $(PYTHON) --compile-bytecode; \
	else set -- $(PYTHON) -m pip install -qq --disable-pip-version-check --compile; fi; "$$@"
COUNT = grep -c '==' $(1)
# Nor may the environment forbid it: the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install demo check test test-airflow docs docs-site lock bench score coverage fuzz dashboard screenshots airflow clean
.DELETE_ON_ERROR:

help:
	@echo "make demo        all steps on the sample archive: findings and a report in var/demo"
	@echo "make dashboard   the pages, on the demo's warehouse or on TAPESCOPE_SITE"
	@echo "make screenshots a picture of every page in var/screenshots, in light and dark colours"
	@echo "make airflow     a local Airflow with all DAGs switched on, on the sample archive or TAPESCOPE_SITE"
	@echo "make check       while you work: linters, types, imports, tests of functions and all worked cases (a minute)"
	@echo "make test        every test, linter and type check"
	@echo "make test-airflow  a real Airflow: logs arrive, tasks are killed, a missed week is run later (10 min or more);"
	@echo "                 and one with two Celery workers, one of which is lost"
	@echo "make bench       measure speed and memory, compare with other tools, and time the pages' answers"
	@echo "make score       which planted faults the rules find: SCORE_RUNS (100) scenarios and as many without faults,"
	@echo "                 for a library with Enstore's logs and for a CTA site (SCORE_STORIES)"
	@echo "make coverage    how often the forecasts' 90 % intervals contain the true value: COVERAGE_TRIALS (400) per model"
	@echo "make fuzz        mutated logs into every source, FUZZ_SECONDS (600) each, two at a time"
	@echo "make install     only what the command .venv/bin/tapescope needs"
	@echo "make docs        write docs/reference, which is generated from the code"
	@echo "make docs-site   the documentation as a site in var/docs-site that opens without a network"
	@echo "make lock        resolve the dependencies of pyproject.toml and write the locks"
	@echo "make clean       remove .venv and var/demo"

install: .venv/done-project

demo: install
	$(SAY) "running the demo in var/demo"
	@.venv/bin/tapescope demo --dir var/demo

# Types are checked while the tests run, for both take one core at times.
check: install .venv/done-airflow
	$(SAY) "checking format, lint, imports, types, functions and worked cases"
	@.venv/bin/ruff format --check --quiet . && .venv/bin/ruff check --quiet . && .venv/bin/lint-imports --no-logo >/dev/null \
		|| { .venv/bin/ruff format --check .; .venv/bin/ruff check .; .venv/bin/lint-imports --no-logo; exit 1; }
	@.venv/bin/mypy & types=$$!; $(PYTHON) -m pytest --quick -q; tests=$$?; wait $$types && exit $$tests

test: install .venv/done-airflow .venv/done-celery .venv/done-programs .venv/done-s3 .venv/done-docs .venv/done-spark
	$(SAY) "running the tests"
	@$(PYTHON) -m pytest $(TESTS)

test-airflow: install .venv/done-airflow .venv/done-celery .venv/done-programs .venv/done-s3
	$(SAY) "starting an Airflow of its own, and killing each of its tasks"
	@$(PYTHON) -m pytest --numprocesses=0 -s -v tests/airflow_live.py tests/celery_live.py

docs: install
	$(SAY) "writing the pages of docs/reference, which are made from the code"
	@$(PYTHON) -c 'from pipelines.reporting.dictionary import write_all; print(*write_all(), sep="\n")'

# A dead link ends it: --strict.
docs-site: .venv/done-docs
	$(SAY) "building the documentation in var/docs-site: open var/docs-site/index.html"
	@.venv/docs/bin/zensical build --strict --clean

bench: install
	$(SAY) "running the benchmarks"
	@$(PYTHON) -m benchmarks

# Stopped, it goes on where it was; results and table lie in var/score.
SCORE_RUNS ?= 100
SCORE_STORIES ?= library cta
score: install
	$(SAY) "scoring the rules on $(SCORE_RUNS) scenarios of each story ($(SCORE_STORIES)) with faults and as many without"
	@for story in $(SCORE_STORIES); do $(PYTHON) -m benchmarks.score --story $$story --runs $(SCORE_RUNS) || exit; done

COVERAGE_TRIALS ?= 400
coverage: install
	$(SAY) "counting how often the models' intervals hold the truth in $(COVERAGE_TRIALS) trials each"
	@$(PYTHON) -m benchmarks.coverage --trials $(COVERAGE_TRIALS)

# What it finds lies in var/fuzz/<source>/; keep it in tests/corpus/<source>/ and `make test` replays it.
FUZZ_SECONDS ?= 600
fuzz: install
	$(SAY) "fuzzing each source for $(FUZZ_SECONDS) s"
	@$(PYTHON) -c 'from pipelines.sources import all_sources; print(*all_sources(), sep="\n")' | \
		xargs -P 2 -I{} sh -c 'PYTHONPATH=tests $(PYTHON) -m support.fuzzing {} $(FUZZ_SECONDS) >var/fuzz-{}.log 2>&1; \
			echo "{}: exit $$?, $$(grep -h "inputs, " var/fuzz-{}.log | tail -1)"'

dashboard: export TAPESCOPE_SITE ?= var/demo
dashboard: install
	@test -e "$$TAPESCOPE_SITE" || $(MAKE) --no-print-directory demo
	$(SAY) "starting the dashboard on $$TAPESCOPE_SITE: http://localhost:8501"
	@.venv/bin/tapescope dashboard

screenshots: export TAPESCOPE_SITE ?= var/demo
screenshots: install .venv/done-programs
	@test -e "$$TAPESCOPE_SITE" || $(MAKE) --no-print-directory demo
	@for colours in light dark; do PYTHONPATH=tests $(PYTHON) -m support.screenshots "$$TAPESCOPE_SITE" var/screenshots $$colours; done

# `airflow standalone` starts its parts by the name `airflow`, so that must be on the PATH. The pool is made before the
# DAGs are switched on, for a task whose pool is not there waits for ever; the mark `arrived` begins the first run.
airflow: export PATH := $(CURDIR)/.venv/bin:$(PATH)
airflow: export AIRFLOW_HOME ?= $(CURDIR)/var/airflow
airflow: export AIRFLOW__CORE__DAGS_FOLDER ?= $(CURDIR)/dags
airflow: export AIRFLOW__CORE__LOAD_EXAMPLES ?= False
airflow: export AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION ?= False
airflow: export AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE ?= $(AIRFLOW_HOME)/passwords.json
airflow: export AIRFLOW__API__HOST ?= 127.0.0.1
airflow: export AIRFLOW__API__PORT ?= 8080
airflow: export AIRFLOW__API__BASE_URL ?= http://127.0.0.1:$(AIRFLOW__API__PORT)
airflow: export TAPESCOPE_POOL ?= tapescope_writer
airflow: export TAPESCOPE_SITE ?= $(CURDIR)/var/demo
airflow: install .venv/done-airflow
	@test -e "$$TAPESCOPE_SITE" || test "$$TAPESCOPE_SITE" != "$(CURDIR)/var/demo" || $(PYTHON) -c \
		'from pathlib import Path; from pipelines import steps; steps.make_demo(Path("var/demo"))'
	$(SAY) "making Airflow's tables in $$AIRFLOW_HOME (half a minute)"
	@mkdir -p "$$AIRFLOW_HOME" && deploy/prepare-airflow.sh >"$$AIRFLOW_HOME/prepare.log" 2>&1 || \
		{ cat "$$AIRFLOW_HOME/prepare.log" >&2; exit 1; }
	@test -e "$$AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE" || (umask 077; $(PYTHON) -c \
		'import json, secrets; print(json.dumps({"admin": secrets.token_urlsafe(12)}))' \
		>"$$AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE")
	@touch "$$(test -d "$$TAPESCOPE_SITE" && echo "$$TAPESCOPE_SITE" || dirname "$$TAPESCOPE_SITE")/arrived"
	$(SAY) "Airflow on $$TAPESCOPE_SITE: $$AIRFLOW__API__BASE_URL (ready in about half a minute; Ctrl-C stops it)"
	$(SAY) "user and password: $$(cat "$$AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE")"
	@exec $(PYTHON) -m airflow standalone

clean:
	$(SAY) "removing .venv and var/demo"
	@rm -rf .venv var/demo

.venv/done-create:
	@for name in python3.13 python3.12 python3.11 python3; do \
		$$name -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null || continue; \
		echo "tapescope: creating .venv ($$($$name --version))"; \
		rm -rf .venv && $$name -m venv .venv && touch $@ && exit 0; \
		exit 1; \
	done; \
	echo "tapescope: needs Python 3.11, 3.12 or 3.13 with its venv module, and found none on the PATH" >&2; \
	echo "tapescope: on Debian or Ubuntu: apt-get install python3 python3-venv" >&2; \
	exit 1

.venv/done-packages: requirements.lock | .venv/done-create
	$(SAY) "installing $$($(call COUNT,$<)) packages from $< (one or two minutes, 1.8 GB in .venv)"
	@$(INSTALL) --require-hashes --requirement $<
	@touch $@

# The build backend is in the lock: nothing more is fetched. A change of pyproject.toml alone installs no package again.
.venv/done-project: pyproject.toml .venv/done-packages
	$(SAY) "installing the command .venv/bin/tapescope from this folder"
	@$(INSTALL) --no-build-isolation --no-deps --editable .
	@$(PYTHON) -m compileall -q pipelines dashboards dags
	@touch $@

# Both locks are given, for a package and what it needs must have their hashes in one command.
.venv/done-airflow: requirements-airflow.lock .venv/done-packages
	$(SAY) "installing $$($(call COUNT,$<)) packages from $< (about a minute, 170 MB more)"
	@$(INSTALL) --require-hashes --requirement requirements.lock --requirement $<
	@touch $@

# What runs tasks on many hosts: one of them, on top of Airflow.
HOSTS = .venv/done-celery .venv/done-kubernetes
$(HOSTS): .venv/done-%: requirements-%.lock requirements-airflow.lock .venv/done-packages
	$(SAY) "installing $$($(call COUNT,$<)) packages from $< on top of Airflow"
	@$(INSTALL) --require-hashes --requirement requirements.lock --requirement requirements-airflow.lock --requirement $<
	@touch $@

# In environments of their own: a server that speaks S3 (for one test; its packages do not get on with the rest), what
# builds the site of docs/, and Spark (for one test; 530 MB).
APART = .venv/done-s3 .venv/done-docs .venv/done-spark
$(APART): PYTHON = .venv/$*/bin/python
$(APART): .venv/done-%: requirements-%.lock | .venv/done-create
	$(SAY) "installing $$($(call COUNT,$<)) packages from $< into .venv/$*"
	@rm -rf .venv/$* && .venv/bin/python -m venv .venv/$*
	@$(INSTALL) --require-hashes --requirement $<
	@touch $@

# Tests look at the pages in a real browser, and open .rrd files with rrdtool; without these they say so and are skipped.
# Tried once, not at every run.
.venv/done-programs: | .venv/done-create
	@has() { for name; do command -v $$name >/dev/null && return 0; done; return 1; }; \
	missing=; has chromium chromium-browser google-chrome || missing=chromium; has rrdtool || missing="$$missing rrdtool"; \
	servers=; for name in prometheus prometheus-node-exporter redis-server victoria-metrics; do has $$name || servers="$$servers $$name"; done; \
	test -e /lib/systemd/systemd-journal-remote || servers="$$servers systemd-journal-remote"; \
	if [ -n "$$servers" ] && [ -d /run/systemd/system ]; then \
		echo "tapescope: tests that need$$servers will be skipped (installed here they would be started as services)"; \
	else missing="$$missing$$servers"; fi; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && has apt-get; then \
		echo "tapescope: installing programs that tests use (apt-get install $$missing)"; \
		export DEBIAN_FRONTEND=noninteractive; \
		{ apt-get install -qq --no-install-recommends $$missing || \
			{ apt-get update -qq && apt-get install -qq --no-install-recommends $$missing; }; } >/dev/null 2>&1 \
			|| echo "tapescope: that failed; tests that need $$missing will be skipped"; \
	elif [ -n "$$missing" ]; then \
		echo "tapescope: tests that need $$missing will be skipped (install them, then make test)"; \
	fi; \
	touch $@

# Airflow and what runs its tasks on many hosts share packages with the rest, so all is resolved together first; a lock
# is what its extras add to the locks before it.
COMPILE = $(UV) pip compile pyproject.toml --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-emit-index-url --no-header --no-annotate $(UPGRADE)
ADDED = awk -v last=$(1) 'FILENAME != last { have[$$0]; next } /^[a-z0-9]/ { more = !($$0 in have) } more && !/^\#/' $(2) $(1)
BOTH = requirements.lock requirements-airflow.lock
lock: UV = $(shell command -v uv || echo $(PYTHON) -m uv)
lock: UPGRADE = --upgrade
lock: .venv/done-create
	$(SAY) "resolving dependencies into requirements.lock and those of Airflow, its executors, S3, Spark and the documentation"
	@command -v uv >/dev/null || $(PYTHON) -m pip install -qq --disable-pip-version-check uv
	@$(COMPILE) --group dev --all-extras --output-file .venv/all.lock
	@$(COMPILE) --group dev --extra dashboard --constraint .venv/all.lock --output-file .venv/some.lock
	@{ echo "# What tapescope is installed with: written by \`make lock\` from pyproject.toml."; \
		grep -v '^#' .venv/some.lock; } > requirements.lock
	@$(COMPILE) --group dev --extra dashboard --extra airflow --constraint .venv/all.lock --output-file .venv/airflow.lock
	@{ echo "# What Airflow adds to requirements.lock: written by \`make lock\` from pyproject.toml."; \
		$(call ADDED,.venv/airflow.lock,requirements.lock); } > requirements-airflow.lock
	@# pip before 23.3 takes a pin for an extra only if it names the extra, which uv leaves out
	@for one in celery kubernetes; do \
		$(COMPILE) --group dev --extra dashboard --extra airflow --extra $$one --constraint .venv/all.lock --output-file .venv/$$one.lock; \
		{ echo "# What $$one adds to $(subst $() , and ,$(BOTH)): written by \`make lock\` from pyproject.toml."; \
			$(call ADDED,.venv/$$one.lock,$(BOTH)) | sed 's/^celery==/celery[redis]==/'; } > requirements-$$one.lock || exit; \
	done
	@$(subst pyproject.toml,,$(COMPILE)) --group s3 --output-file .venv/s3.lock
	@{ echo "# The S3 server of the tests: written by \`make lock\` from pyproject.toml."; \
		cat .venv/s3.lock; } > requirements-s3.lock
	@$(subst pyproject.toml,,$(COMPILE)) --group docs --output-file .venv/docs.lock
	@{ echo "# What builds the site of docs/: written by \`make lock\` from pyproject.toml."; \
		cat .venv/docs.lock; } > requirements-docs.lock
	@$(subst pyproject.toml,,$(COMPILE)) --group spark --output-file .venv/spark.lock
	@{ echo "# Spark, which reads the warehouse in a test: written by \`make lock\` from pyproject.toml."; \
		cat .venv/spark.lock; } > requirements-spark.lock
