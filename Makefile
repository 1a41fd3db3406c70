# Everything that guards this project. It needs Go 1.26, Python 3.9 and Node 20 or later.

GO     ?= go
PYTHON ?= python3
NODE   ?= node
TOOL   := $(GO) tool -modfile=tools.mod

ADAPTERS := conformance/adapters

# A program built with the race detector sleeps a second when it exits; the tests start hundreds of them.
export GORACE := atexit_sleep_ms=0

.PHONY: all test tools lint ports types strength check-strength guards slow generate figures bench-gate bin clean

all: test

# The gate: static checks, the Go tests with the race detector, what is too slow for it without, the kill matrix, the
# ports in other languages. (With -short rapid makes a fifth of its checks: 500 are 100.)
test: tools lint
	RAPID_CHECKS=500 $(GO) test -race -short -shuffle=on ./...
	$(GO) test ./internal/fuzz ./internal/floor ./internal/generate ./internal/minimal ./internal/strength/...
	$(GO) test -run AdapterCheckNames ./conformance
	$(MAKE) --no-print-directory -j2 ports check-strength

# The interpreters of the ports, where a machine with Go lacks them. Nothing is skipped: without them the gate fails.
tools:
	@command -v $(PYTHON) >/dev/null || { apt-get update && apt-get install -y python3; }
	@command -v $(NODE) >/dev/null || { apt-get update && apt-get install -y nodejs npm; }

# Static checks: formatting, vet, staticcheck, a tidy go.mod, the suite's own lint.
lint:
	@test -z "$$($(TOOL) gofumpt -l . | tee /dev/stderr)" || { echo "run: make generate" >&2; exit 1; }
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(GO) mod tidy -diff
	$(GO) run ./cmd/loopstone lint --deep

# The suite, over real pipes, against the reference and the ports in this repository, and the ports' own tests.
ports: bin
	bin/loopstone test --strict
	$(PYTHON) -m unittest discover -q -s $(ADAPTERS)/python/tests
	bin/loopstone test -- $(PYTHON) $(ADAPTERS)/python/history.py
	bin/loopstone test --strict -- $(PYTHON) $(ADAPTERS)/python/ports/all.py
	$(NODE) --test $(ADAPTERS)/typescript/tests/*.test.js
	bin/loopstone test --strict --allow int-float -- $(NODE) $(ADAPTERS)/typescript/ports/all.js

# The types of the TypeScript kit and ports, by the compiler from npm.
types:
	cd $(ADAPTERS)/typescript && npm ci --silent && npm run --silent check

# Every mutant of the reference against the cases alone; writes docs/strength.md, and the list that lint --deep reads.
strength:
	$(GO) run ./internal/strength/cmd/strength

# The same, but what would be written must be there already.
check-strength:
	$(GO) run ./internal/strength/cmd/strength check

# Every mutant of the code that decides between pass and fail against the unit tests of its package.
guards:
	$(GO) run ./internal/strength/cmd/strength guards

# What takes longer: ten seeds for every planted fault, a minute of generated traces for every port.
slow: bin
	LOOPSTONE_SLOW=1 $(GO) test -count=1 -timeout 20m -run Planted ./internal/fuzz
	bin/loopstone fuzz --for 60s
	bin/loopstone fuzz --for 60s -- $(PYTHON) $(ADAPTERS)/python/ports/all.py
	bin/loopstone fuzz --for 60s -- $(NODE) $(ADAPTERS)/typescript/ports/all.js
	bin/loopstone fuzz --for 60s -- $(PYTHON) $(ADAPTERS)/python/ports/all.py --against $(NODE) $(ADAPTERS)/typescript/ports/all.js

# Rewrites what is generated or formatted.
generate:
	$(TOOL) gofumpt -w .
	$(GO) test ./spec/claims -run TestDocument -update
	$(GO) test ./internal/schema -run UpToDate -update
	$(GO) test ./internal/floor -update
	$(GO) run ./internal/strength/cmd/strength
	$(GO) run ./internal/strength/cmd/strength guards
	$(GO) test ./cmd/loopstone ./conformance/report -update

# The figures of benchmarks/README.md; run it on a machine with nothing else to do.
figures:
	$(GO) run ./internal/bench/figures --write benchmarks/README.md

# Compares this tree with another revision: make bench-gate BASE=main
bench-gate:
	$(GO) run ./internal/bench/gate --base $(BASE)

bin:
	$(GO) build -o bin/loopstone ./cmd/loopstone

clean:
	rm -rf bin .cache
