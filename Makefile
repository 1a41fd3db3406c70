# What is run on this project. It needs Go 1.26, Python 3.9 and Node 20 or later; `make setup` installs the latter two.

GO     ?= go
PYTHON ?= python3
NODE   ?= node
TOOL   := $(GO) tool -modfile=tools.mod

ADAPTERS := conformance/adapters

# A program built with the race detector sleeps a second when it exits; the tests start hundreds of them.
export GORACE := atexit_sleep_ms=0

.DEFAULT_GOAL := help
.PHONY: help setup check test lint race ports types mutation check-mutation slow generate figures bench-gate bin clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what a machine with Go lacks: Python, Node, the modules
	@command -v $(PYTHON) >/dev/null || { apt-get update && apt-get install -y python3; }
	@command -v $(NODE) >/dev/null || { apt-get update && apt-get install -y nodejs npm; }
	$(GO) mod download
	$(TOOL) gofumpt -version >/dev/null

# The slowest packages are left to `make test`. Go remembers what passed, so that an edit costs the tests of what it reaches.
SLOW := /cmd/loopstone$$|/conformance$$|/conformance/stdio$$|/internal/fuzz$$|/internal/bench/

check: lint bin ## what to run after each edit: static checks, fast tests, the suite against the reference
	RAPID_CHECKS=50 $(GO) test -short $$($(GO) list ./... | grep -vE '$(SLOW)')
	bin/loopstone test --checks 1

test: lint ## all that guards the project, but for what .ci/run adds
	$(MAKE) --no-print-directory race
	$(MAKE) --no-print-directory -j2 ports check-mutation

lint: ## static checks: formatting, vet, staticcheck, go.mod, the suite
	@test -z "$$($(TOOL) gofumpt -l . | tee /dev/stderr)" || { echo "run: make generate" >&2; exit 1; }
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(GO) mod tidy -diff
	$(GO) run ./cmd/loopstone lint --deep

# With -short rapid makes a fifth of its checks: 500 are 100.
race: ## the Go tests with the race detector, and what is too slow for it without
	RAPID_CHECKS=500 $(GO) test -race -short -shuffle=on ./...
	$(GO) test ./internal/fuzz ./internal/floor ./internal/generate ./internal/minimal ./internal/strength/...
	$(GO) test -run AdapterCheckNames ./conformance

ports: bin ## the suite, over real pipes, against the reference and every port; the ports' own tests
	bin/loopstone test --strict
	$(PYTHON) -m unittest discover -q -s $(ADAPTERS)/python/tests
	bin/loopstone test -- $(PYTHON) $(ADAPTERS)/python/history.py
	bin/loopstone test --strict -- $(PYTHON) $(ADAPTERS)/python/ports/all.py
	$(NODE) --test $(ADAPTERS)/typescript/tests/*.test.js
	bin/loopstone test --strict --allow int-float -- $(NODE) $(ADAPTERS)/typescript/ports/all.js

types: ## the types of the TypeScript kit and ports, by the compiler from npm
	cd $(ADAPTERS)/typescript && npm ci --silent && npm run --silent check

mutation: ## plant every fault in the reference, let the cases judge; writes docs/strength.md and what lint reads
	$(GO) run ./internal/strength/cmd/strength

check-mutation: ## the same, but what would be written must be there already
	$(GO) run ./internal/strength/cmd/strength check

slow: bin ## ten seeds for every planted fault, a minute of generated traces for every port
	LOOPSTONE_SLOW=1 $(GO) test -count=1 -timeout 20m -run Planted ./internal/fuzz
	bin/loopstone fuzz --for 60s
	bin/loopstone fuzz --for 60s -- $(PYTHON) $(ADAPTERS)/python/ports/all.py
	bin/loopstone fuzz --for 60s -- $(NODE) $(ADAPTERS)/typescript/ports/all.js
	bin/loopstone fuzz --for 60s -- $(PYTHON) $(ADAPTERS)/python/ports/all.py --against $(NODE) $(ADAPTERS)/typescript/ports/all.js

generate: ## rewrite all that is generated or formatted
	$(TOOL) gofumpt -w .
	$(GO) test ./internal/claims -run TestDocument -update
	$(GO) test ./internal/floor -update
	$(MAKE) --no-print-directory mutation
	$(GO) test ./cmd/loopstone ./conformance/report -update

figures: ## the figures of benchmarks/README.md; on a machine with nothing else to do
	$(GO) run ./internal/bench/figures --write benchmarks/README.md

bench-gate: ## compare this tree with another revision: make bench-gate BASE=main
	$(GO) run ./internal/bench/gate --base $(BASE)

bin: ## build bin/loopstone
	$(GO) build -o bin/loopstone ./cmd/loopstone

clean: ## remove what was built
	rm -rf bin .cache
