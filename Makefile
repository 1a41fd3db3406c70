# Everything that guards this project. `make test` needs Go, and uses Python 3 and Node where a port is written in them.

GO     ?= go
TOOL   := $(GO) tool -modfile=tools.mod
PYTHON ?= python3

.PHONY: all test lint generate bin clean

all: test

# The whole gate: static checks, the Go tests with the race detector, and the suite against every port that is here.
test: lint
	$(GO) test -race -shuffle=on ./...
	$(GO) run ./cmd/loopstone test
	$(GO) run ./cmd/loopstone test -- $(PYTHON) conformance/adapters/python/history.py

# Static checks: formatting, vet, staticcheck, a tidy go.mod, the suite's own lint.
lint:
	@test -z "$$($(TOOL) gofumpt -l . | tee /dev/stderr)" || { echo "run: make generate" >&2; exit 1; }
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(GO) mod tidy -diff
	$(GO) run ./cmd/loopstone lint

# Rewrites what is generated or formatted.
generate:
	$(TOOL) gofumpt -w .

bin:
	$(GO) build -o bin/loopstone ./cmd/loopstone

clean:
	rm -rf bin .cache
