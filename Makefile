# make book        the web book, in _build/html
# make test        everything that CI runs
# make pdf epub    the book in one file, _build/gradients-by-hand.pdf (this needs Chromium) and .epub
# make links       asks every link to another host whether it is there; this needs the network
# make notebooks   chapters, exercises and solutions, from sources/
#
# Each makes .venv first where there is none, and installs requirements.txt again when it changed.
# Another Python: make book PYTHON=python3.12

PYTHON = python3
BIN = .venv/bin
BOOK = $(BIN)/jupyter-book build . --all -W -n --keep-going
# one thread each: two workers with two threads would fight for two cores
PYTEST = OMP_NUM_THREADS=1 HANDGRAD_SITE=_build/html $(BIN)/python -m pytest -n 2 --dist
# kernels by fork from one process that has imported torch, where that can be (handgrad/warm/)
WARM = JUPYTER_DEFAULT_PROVISIONER_NAME=handgrad-warm

# Tests start hundreds of Pythons: none compiles again what another has compiled
unexport PYTHONDONTWRITEBYTECODE

# $(call step,name,command): says its name, runs the command, says how long it took
step = echo "== $(1)"; start=$$(date +%s); $(2); code=$$?; echo "== $(1): $$(($$(date +%s) - start)) s"; exit $$code

.PHONY: book pdf epub links test notebooks

book: .venv/installed
	@$(BOOK)
	@echo "The book: $(CURDIR)/_build/html/index.html"

pdf: .venv/installed
	@$(BOOK) --builder singlehtml
	@$(BIN)/python book/pdf.py _build/singlehtml _build/gradients-by-hand.pdf

epub: .venv/installed
	@$(BOOK) --builder custom --custom-builder epub
	@mv _build/epub/gradients-by-hand.epub _build/
	@echo "The book as EPUB: $(CURDIR)/_build/gradients-by-hand.epub"

links: .venv/installed
	@$(BOOK) --builder linkcheck

test: .venv/installed
	@$(call step,ruff,$(BIN)/ruff check .)
	@$(call step,notebooks as their sources say,$(BIN)/handgrad build --check)
	@$(call step,book,$(BOOK))
	@$(call step,unit tests,$(PYTEST) worksteal -m "not browser")
	@$(call step,nbval on chapters and solutions,$(WARM) $(PYTEST) loadfile --nbval --nbval-kernel-name handgrad-cpu chapters solutions)
	@$(call step,pages in a browser,$(PYTEST) worksteal -m browser)

notebooks: .venv/installed
	@$(BIN)/handgrad build

.venv/installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("Python 3.11 or newer is needed, and $(PYTHON) is %d.%d. Name another: make PYTHON=python3.11" % v[:2])'
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --no-compile -r requirements.txt
	@touch $@
