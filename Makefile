# Every target sets up .venv by itself when that is missing or out of date: the demo with what the
# program needs, the others with the tools of the developer too.
# PYTHON=python3.12 chooses the interpreter of a new .venv; ARGS='-k name' goes to pytest.

PY := .venv/bin/python
INSTALLED := .venv/.installed
WITH_TOOLS := .venv/.installed-with-tools
PYTHONS := $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 python

ACPX := 0.19.1
NODE := 22.23.3
TOOLS_INSTALLED := .tools/.installed-acpx-$(ACPX)-node-$(NODE)
PICTURE_PACKAGES := librsvg2-bin fonts-firacode fonts-noto-cjk fonts-symbola

# Start-up times are only true with compiled bytecode.
unexport PYTHONDONTWRITEBYTECODE

# An installation names the folder it was made in, so a moved one is made again, like one whose
# interpreter is gone.
ifneq ($(shell $(PY) -c '' 2>/dev/null && cat $(INSTALLED) 2>/dev/null),$(CURDIR))
.PHONY: $(INSTALLED) $(WITH_TOOLS)
endif
# Two installations into one .venv at the same time would spoil it.
.NOTPARALLEL:

# Shell: debian PACKAGE... installs them if it may, else says how and fails.
define DEBIAN
debian() { \
  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
    echo "Installing $$* with apt-get" && apt-get update -qq </dev/null && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$$@" \
      </dev/null >/dev/null; \
  else \
    echo "Missing on this machine. Install it with: sudo apt-get install -y $$*" >&2; return 1; \
  fi; }
endef

.PHONY: help demo test check screenshots interop bench soak lives clean

help:
	@echo 'make demo         try Canopy: a scripted model, no account, no network'
	@echo 'make test         the test suite'
	@echo 'make check        ruff, mypy and the architecture tests'
	@echo 'make screenshots  draw screenshots/ anew from recorded real runs'
	@echo 'make interop      a real ACP client (npm package acpx) drives canopy --stdio'
	@echo 'make bench        measurements'
	@echo 'make soak         500 random runs on the real CLI, at most 10 minutes'
	@echo 'make lives        200 times load, fork, close and resume on the real CLI, at most 20 minutes'
	@echo 'make clean        remove .venv and everything else that was made'

demo: $(INSTALLED)
	@$(PY) -m canopy_tui --demo

test: $(WITH_TOOLS)
	@$(DEBIAN); command -v tmux >/dev/null || debian tmux
	$(PY) -m pytest -n 3 $(ARGS)

check: $(WITH_TOOLS)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m pytest -q tests/architecture

screenshots: $(WITH_TOOLS)
	@$(DEBIAN); if command -v dpkg >/dev/null; then dpkg -s $(PICTURE_PACKAGES) >/dev/null 2>&1; \
	  else command -v rsvg-convert >/dev/null; fi || debian $(PICTURE_PACKAGES)
	$(PY) tests/make_screenshots.py

interop: $(WITH_TOOLS) $(TOOLS_INSTALLED)
	$(PY) -m pytest tests/interop $(ARGS)

bench: $(WITH_TOOLS)
	@test -d tests/perf || { echo 'There is nothing to measure yet: no tests/perf.' >&2; exit 1; }
	$(PY) -m pytest -s tests/perf $(ARGS)

soak: $(WITH_TOOLS)
	$(PY) -m pytest -s -o faulthandler_timeout=0 tests/soak/test_soak.py $(ARGS)

lives: $(WITH_TOOLS)
	$(PY) -m pytest -s -o faulthandler_timeout=0 tests/soak/test_session_lives.py $(ARGS)

clean:
	rm -rf .venv .tools build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find agent tui shared tests -name __pycache__ -prune -exec rm -rf {} +

# Shell: install REQUIREMENT puts it into .venv, which is made first where there is no usable one.
define INSTALL
$(DEBIAN); install() { set -e; \
  if ! $(PY) -m pip --version >/dev/null 2>&1; then \
    found=; \
    for python in $(PYTHONS); do \
      if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
      then found=$$python; break; fi; \
    done; \
    if [ -z "$$found" ]; then \
      echo 'Canopy needs Python 3.11 or newer, and none of these is: $(strip $(PYTHONS)).' >&2; \
      echo 'Install one, or name it: make PYTHON=/path/to/python3' >&2; exit 1; \
    fi; \
    $$found -c 'import ensurepip' 2>/dev/null || debian python3-venv; \
    rm -rf .venv; $$found -m venv .venv; \
  fi; \
  [ -t 1 ] || quiet=--quiet; \
  $(PY) -m pip install $$quiet --disable-pip-version-check --compile -e "$$1"; \
  $(PY) -m compileall -q -x demo/sample agent tui shared; \
  printf '%s\n' "$(CURDIR)" >$(INSTALLED); }
endef

$(INSTALLED): pyproject.toml
	@echo 'Setting up .venv. The first time this downloads the Claude CLI inside claude-agent-sdk:'
	@echo 'about 400 MB unpacked.'
	@$(INSTALL); install .

$(WITH_TOOLS): pyproject.toml
	@echo 'Setting up .venv with the tools for tests and checks. The first time this downloads the'
	@echo 'Claude CLI inside claude-agent-sdk: about 400 MB unpacked.'
	@$(INSTALL); install '.[dev]'
	@touch $@

$(TOOLS_INSTALLED):
	@$(DEBIAN); command -v npm >/dev/null || debian npm
	rm -rf .tools && mkdir .tools
	npm install --prefix .tools --no-audit --no-fund --no-save acpx@$(ACPX) node@$(NODE)
	.tools/node_modules/.bin/node --version
	@touch $@
