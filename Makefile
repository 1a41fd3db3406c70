# What is run on this project. It needs Go 1.26, Python 3.9 and Node 20 or later; `make setup` installs the latter two.
# What needs more, such as `make swarm-shared`, `make rust` and `make java`, installs it.

GO     ?= go
PYTHON ?= python3
NODE   ?= node

# The module of what no user runs. Its commands are started in its folder.
TOOLS       := $(GO) -C tools
GOFUMPT     := $(TOOLS) tool gofumpt
ACTIONLINT  ?= $(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
STATICCHECK  = "$$($(TOOLS) tool -n staticcheck)"

# Says what is done and, when it is done, how long it took.
STEP := @.ci/step

ADAPTERS   := conformance/adapters
TYPESCRIPT := $(ADAPTERS)/typescript

# A program built with the race detector sleeps a second when it exits; the tests start hundreds of them.
export GORACE := atexit_sleep_ms=0

# As a release is built. The tests of the command build the tool so, and would compile most packages once more.
export CGO_ENABLED := 0
race swarm-shared: export CGO_ENABLED := 1

.DEFAULT_GOAL := help
.PHONY: help setup accept check formatted judged linted vetted quick test vet lint race long ports rust java pages matrix site \
        test-site types runners mutation check-mutation originals swarm-shared planted generate published \
        figures real-runs evasions search restated field baselines beside bench-gate bin dist check-dist packages

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what a machine with Go lacks: Python, Node, the modules
	@command -v $(PYTHON) >/dev/null || { apt-get update && apt-get install -y python3; }
	@command -v $(NODE) >/dev/null || { apt-get update && apt-get install -y nodejs npm; }
	@/usr/bin/python3 -c 'import coverage, pytest' 2>/dev/null || { apt-get update && apt-get install -y python3-coverage python3-pytest; }
	$(STEP) 'the modules' $(GO) mod download
	$(STEP) 'the modules of tools' $(TOOLS) mod download
	$(STEP) 'the formatter' $(GOFUMPT) -version
	$(STEP) 'the linter of workflows' $(ACTIONLINT) -version

# Nobody debugs what is linked for one run: without the tables of a debugger linking takes half as long.
LINKED := -ldflags='-s -w'

# Side by side: what fails does not hide what the others say, and each says it in one piece where this make can do so.
AT_ONCE := -j4 --keep-going $(if $(filter output-sync,$(.FEATURES)),--output-sync)

accept: ## after an edit of a case or a clause: check it on the reference, write what is computed from the suite, name those files
	@GO='$(GO)' .ci/accept

check: ## what to run after each edit: formatting, vet, lint, the tests of clauses, cases and rules, the suite
	@$(MAKE) --no-print-directory $(AT_ONCE) formatted judged linted quick

formatted:
	$(STEP) 'formatting' sh -c 'test -z "$$($(GOFUMPT) -l .. | tee /dev/stderr)" || { echo "run: make generate" >&2; exit 1; }'

judged: bin
	bin/loopstone test --reference --checks 1

linted: bin
	$(STEP) 'clauses and cases' bin/loopstone lint

# One after the other: two that compile at once would compile the same.
vetted: bin
	$(STEP) 'go vet' $(GO) vet ./...
	$(STEP) 'go vet of tools' $(TOOLS) vet ./...

# What an edit of a clause, a case or a rule breaks first. Go remembers what passed, so that only what the edit reaches is
# tested again. Swarms on a Redis lie a folder deeper: make swarm-shared tests them.
QUICK := ./spec ./cases ./reference $(filter-out ./reference/parts/,$(wildcard ./reference/*/)) \
         $(wildcard ./reference/parts/*/) ./internal/suite/sourceclaims ./conformance/laws ./spec/strictyaml

quick: bin
	$(STEP) 'go vet' $(GO) vet $(QUICK)
	RAPID_CHECKS=50 $(GO) test -short -vet=off $(LINKED) $(QUICK)

# With -short rapid makes a fifth of its checks: 200 are 40. Vet is make lint's. A busy machine may need its time. Tests
# that read the whole suite collect their heaps as seldom as the tool does: a fifth of their time was that. Many tests wait
# for time limits, which two at once would not hide.
SHORT_TESTS := test -short -vet=off -parallel 8 $(LINKED) -timeout 30m
SHORT       := GOGC=400 RAPID_CHECKS=200 $(GO) $(SHORT_TESTS)

test: bin ## the tests of every package; make long and make ports add what takes longer
	$(STEP) 'the tests of every package' env $(SHORT) ./...
	$(STEP) 'the tests of tools' env GOGC=400 RAPID_CHECKS=200 $(TOOLS) $(SHORT_TESTS) ./...

# Formatting, vet, the suite's own lint.
vet: formatted vetted linted

lint: vet ## formatting, vet, staticcheck, lint of the suite, the workflows and go.mod
	$(STEP) 'staticcheck' $(STATICCHECK) ./...
	$(STEP) 'staticcheck of tools' $(TOOLS) tool staticcheck ./...
	$(STEP) 'workflows' env LOOPSTONE_ACTIONLINT='$(ACTIONLINT)' $(GO) test -count=1 -vet=off -run Workflows ./conformance/adapters
	$(STEP) 'go.mod' $(GO) mod tidy -diff
	$(STEP) 'go.mod of tools' $(TOOLS) mod tidy -diff

# The packages whose tests start goroutines. In all others the race detector could find nothing, nor in the command,
# whose tests start the tool as a process.
RACING := ./spec ./spec/strictyaml ./cases ./conformance ./conformance/stdio ./internal/processgroup ./internal/suite/bench \
          ./internal/suite/sourceclaims ./internal/suite/fuzz ./internal/suite/userfiles ./internal/lab/agentlogs \
          ./internal/lab/replay ./internal/lab/score ./internal/testing/faultyadapter ./reference ./reference/swarm

# These are long and draw nothing. Most have one goroutine; those that judge cases of all detectors at once meet in the
# tests of ./reference.
UNRACED := TestCasesFindWhatProxiesDo|TestALargeFirstRecordIsRead|TestRealLogs|TestARecordIsBounded|TestWrittenFilesReadBack|$\
           TestWhatShrinkingCostsIsBounded

# Goroutines do not meet more often where more is drawn: half of the checks of make test.
RACE := GOGC=400 RAPID_CHECKS=100
race: ## the race detector, over every package that starts goroutines
	$(RACE) $(GO) $(SHORT_TESTS) -race -shuffle=on -skip '^($(UNRACED))$$' $(RACING)
	$(RACE) $(TOOLS) $(SHORT_TESTS) -race -shuffle=on ./mutation

# Where each exchange costs a process, or each check a search, make test draws as many as there is time for.
DEAR := ./cmd/loopstone ./conformance ./internal/suite/fuzz

# What make test has tested whole is not repeated. Shared swarms are swarm-shared's, packages are runners'.
AT_LENGTH := test -vet=off -count=1 -parallel 6 -shuffle=on -timeout 30m
long: bin ## the tests that make test leaves out or shortens: what takes seconds each, and twelve times the random checks
	bin/loopstone lint --deep
	drawing=$$(.ci/long-tests root | grep -vxF $(patsubst %,-e %,$(DEAR) $(SHARED))) && RAPID_CHECKS=500 $(GO) $(AT_LENGTH) $$drawing
	longer=$$(.ci/long-tests in $(DEAR)) && $(GO) $(AT_LENGTH) -run "$$longer" $(DEAR)
	drawing=$$(.ci/long-tests tools | grep -vx ./packages) && RAPID_CHECKS=500 $(TOOLS) $(AT_LENGTH) $$drawing

ports: bin ## the suite, over real pipes, against the reference and every port; the ports' own tests
	$(STEP) 'the suite and the reference' bin/loopstone test --reference --strict --allow shared
	$(STEP) 'tests of the kit in Python' $(PYTHON) -m unittest discover -q -s $(ADAPTERS)/python/tests
	$(STEP) 'the suite and the ports in Python' \
	  bin/loopstone test --strict --allow snapshot,shared -- $(PYTHON) $(ADAPTERS)/python/ports/all.py
	$(STEP) 'tests of the kit in JavaScript' $(NODE) --test $(ADAPTERS)/typescript/tests/*.test.js
	$(STEP) 'the suite and the ports in JavaScript' \
	  bin/loopstone test --strict --allow int-float,snapshot,shared -- $(NODE) $(ADAPTERS)/typescript/ports/all.js

# Debian brings the crates, so that none is fetched. Whoever has a registry runs cargo in the folder without this.
CRATES     := /usr/share/cargo/registry
CARGO_HOME := $(CURDIR)/.cache/cargo
CARGO      := CARGO_HOME=$(CARGO_HOME) cargo
# Debian 12 has the oldest Rust that the kit promises; whoever has only a newer one does without this check.
OLDEST_RUST = @! /usr/bin/rustc --version 2>/dev/null | grep -q ' 1\.63\.' || \
	(cd $(ADAPTERS)/rust && RUSTC=/usr/bin/rustc CARGO_HOME=$(CARGO_HOME) /usr/bin/cargo check --quiet --target-dir $(CURDIR)/.cache/oldest-rust)
.PHONY: crates jdk
crates:
	@command -v cargo >/dev/null || { apt-get update && apt-get install -y cargo; }
	@ls -d $(CRATES)/serde_json-1.* $(CRATES)/md5-0.* >/dev/null 2>&1 || \
	  { apt-get update && apt-get install -y librust-serde-json-dev librust-md5-dev; }
	@mkdir -p $(CARGO_HOME)
	@printf '%s\n' '[source.crates-io]' 'replace-with = "debian"' '[source.debian]' 'directory = "$(CRATES)"' '[net]' \
	  'offline = true' > $(CARGO_HOME)/config.toml

rust: bin crates ## the kit and the ports in Rust: build, own tests, the suite, what init writes; installs the crates where missing
	cd $(ADAPTERS)/rust && $(CARGO) test --quiet --release && $(CARGO) build --quiet --release
	$(OLDEST_RUST)
	bin/loopstone test --strict --detector history,fingerprint,composed -- $(ADAPTERS)/rust/target/release/all
	bin/loopstone check-adapter -- $(ADAPTERS)/rust/target/release/all
	CARGO_HOME=$(CARGO_HOME) LOOPSTONE_BUILT=rust $(GO) test -count=1 -run InitInALanguageThatIsBuilt ./cmd/loopstone

# The jars are Debian's too: Gson, which the kit needs, and JUnit, which its tests need.
JARS       := /usr/share/java
JAVA_DIR   := .cache/java
JAVA_LIBS  := $(JARS)/gson.jar
JUNIT      := junit-jupiter-api junit-jupiter-engine junit-jupiter-params junit-platform-commons junit-platform-console \
              junit-platform-engine junit-platform-launcher junit-platform-reporting opentest4j apiguardian-api picocli \
              univocity-parsers
# A process that lives for seconds does not pay for the second compiler and a collector with threads of its own.
JAVA_FLAGS := -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
JAVA_PORT  := java $(JAVA_FLAGS) -cp $(JAVA_DIR)/classes:$(JAVA_LIBS) All
empty      :=
space      := $(empty) $(empty)
JAVA_TEST  := $(subst $(space),:,$(JAVA_LIBS) $(JUNIT:%=$(JARS)/%.jar))
jdk:
	@command -v javac >/dev/null || { apt-get update && apt-get install -y openjdk-17-jdk-headless; }
	@test -e $(JARS)/gson.jar -a -e $(JARS)/junit-jupiter-api.jar || \
	  { apt-get update && apt-get install -y libgoogle-gson-java junit5; }

java: bin jdk ## the kit and the ports in Java: build, own tests, the suite, what init writes; installs the JDK and jars where missing
	@rm -rf $(JAVA_DIR) && mkdir -p $(JAVA_DIR)/classes $(JAVA_DIR)/tests
	javac --release 17 -encoding UTF-8 -Xlint:all -Werror -cp $(JAVA_LIBS) -d $(JAVA_DIR)/classes \
	  $(ADAPTERS)/java/*.java $(ADAPTERS)/java/ports/*.java
	javac --release 17 -encoding UTF-8 -Xlint:all,-path -Werror -cp $(JAVA_DIR)/classes:$(JAVA_TEST) -d $(JAVA_DIR)/tests \
	  $(ADAPTERS)/java/tests/*.java
	java -cp $(JAVA_DIR)/classes:$(JAVA_DIR)/tests:$(JAVA_TEST) org.junit.platform.console.ConsoleLauncher \
	  --disable-banner --details=summary --fail-if-no-tests --scan-classpath $(JAVA_DIR)/tests
	bin/loopstone test --strict --detector history,fingerprint,composed -- $(JAVA_PORT)
	bin/loopstone check-adapter -- $(JAVA_PORT)
	JDK_JAVA_OPTIONS='$(JAVA_FLAGS)' LOOPSTONE_BUILT=java $(GO) test -count=1 -run InitInALanguageThatIsBuilt ./cmd/loopstone

COVERED  := .cache/coverage
COVER    := bin/loopstone test --no-properties
PORT_COVERAGE := bin/portcoverage
PORT     ?= python
.PHONY: coverage coverage-python coverage-node coverage-rust
coverage: bin ## the branches of our ports that no case reaches, without a reason: PORT=python, node or rust
	@rm -rf $(COVERED)/$(PORT) && mkdir -p $(COVERED)/$(PORT)
	@$(TOOLS) build -o ../$(PORT_COVERAGE) ./portcoverage
	@$(MAKE) --no-print-directory coverage-$(PORT)

# Debian's Python, for which Debian has coverage.py.
coverage-python: export COVERAGE_FILE := $(COVERED)/python/data
coverage-python:
	@/usr/bin/python3 -c 'import coverage' 2>/dev/null || { apt-get update && apt-get install -y python3-coverage; }
	$(COVER) -- /usr/bin/python3 -m coverage run --branch --parallel-mode --source=$(ADAPTERS)/python $(ADAPTERS)/python/ports/all.py
	/usr/bin/python3 -m coverage combine -q
	/usr/bin/python3 -m coverage lcov -q -o $(COVERED)/python/lcov.info --omit='*/tests/*'
	$(PORT_COVERAGE) $(ADAPTERS) $(COVERED)/python/lcov.info

coverage-node: export NODE_V8_COVERAGE := $(COVERED)/node/raw
coverage-node:
	$(COVER) -- $(NODE) $(ADAPTERS)/typescript/ports/all.js
	env -u NODE_V8_COVERAGE npx --yes c8@12.0.0 report --temp-directory $(COVERED)/node/raw --reports-dir $(COVERED)/node -r lcovonly \
	  --include '$(ADAPTERS)/typescript/*.js' --include '$(ADAPTERS)/typescript/ports/*.js'
	$(PORT_COVERAGE) $(ADAPTERS) $(COVERED)/node/lcov.info

# Debian's Rust, whose LLVM is the one of Debian's llvm-cov. It comes without the runtime, which clang has.
coverage-rust: RUST_TARGET := x86_64-unknown-linux-gnu
coverage-rust: RUNTIME = $(shell find /usr/lib/llvm-14 -name 'libclang_rt.profile-x86_64.a')
coverage-rust:
	@/usr/bin/rustc --version | grep -q ' 1\.63\.' && command -v llvm-cov-14 >/dev/null && test -n '$(RUNTIME)' || \
	  { apt-get update && apt-get install -y cargo llvm-14 libclang-rt-14-dev librust-serde-json-dev librust-md5-dev; }
	@mkdir -p $(CARGO_HOME) && printf '%s\n' '[source.crates-io]' 'replace-with = "debian"' '[source.debian]' \
	  'directory = "$(CRATES)"' '[net]' 'offline = true' > $(CARGO_HOME)/config.toml
	cd $(ADAPTERS)/rust && CARGO_HOME=$(CARGO_HOME) RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS="-C instrument-coverage \
	  -Z no-profiler-runtime -C link-arg=-Wl,-u,__llvm_profile_runtime -C link-arg=$(RUNTIME) -C link-arg=-lc" \
	  /usr/bin/cargo build --quiet --target $(RUST_TARGET) --target-dir $(CURDIR)/$(COVERED)/rust/target
	LLVM_PROFILE_FILE=$(CURDIR)/$(COVERED)/rust/raw/%p.profraw $(COVER) -- $(COVERED)/rust/target/$(RUST_TARGET)/debug/all
	llvm-profdata-14 merge -sparse $(COVERED)/rust/raw/*.profraw -o $(COVERED)/rust/data
	llvm-cov-14 export -format=text $(COVERED)/rust/target/$(RUST_TARGET)/debug/all -instr-profile=$(COVERED)/rust/data \
	  > $(COVERED)/rust/regions.json
	$(PORT_COVERAGE) $(ADAPTERS) $(COVERED)/rust/regions.json

# What npm installs is installed once, and again after its list has changed: npm empties the folder first.
MODULES := node_modules/.package-lock.json
%/$(MODULES): %/package-lock.json
	$(STEP) 'npm, for $*' npm ci --silent --prefix $*
	@touch $@

BROWSER  := tools/site/browser
CHROMIUM ?= chromium
.PHONY: chromium
chromium:
	@command -v $(CHROMIUM) >/dev/null || { apt-get update && apt-get install -y chromium; }

pages: chromium $(BROWSER)/$(MODULES) ## the pages that people open, in a real browser; installs Chromium where it is missing
	cd $(BROWSER) && CHROMIUM=$$(command -v $(CHROMIUM)) $(NODE) --test

REPORTS := bin/reports
EVERYDAY := --count 1 --time 200ms --run 'workload=(healthy|short|workers-8)$$'
# Runs and measures a port, which is given as NAME, and nothing or -- COMMAND.
reported = bin/loopstone test --statement $(REPORTS)/$(1).jsonl $(2) && \
  bin/loopstone bench $(EVERYDAY) $(2) > $(REPORTS)/$(1).txt
RUST_PORT := $(ADAPTERS)/rust/target/release/all
matrix: bin ## run and measure every port that is built, for the site's page Implementations
	rm -rf $(REPORTS) && mkdir -p $(REPORTS)
	$(call reported,go,--reference)
	$(call reported,python,-- $(PYTHON) $(ADAPTERS)/python/ports/all.py)
	$(call reported,typescript,-- $(NODE) $(ADAPTERS)/typescript/ports/all.js)
	if test -x $(RUST_PORT); then $(call reported,rust,-- $(RUST_PORT)); else echo 'rust: not run; make rust builds it'; fi
	if test -d $(JAVA_DIR)/classes; then $(call reported,java,-- $(JAVA_PORT)); else echo 'java: not run; make java builds it'; fi

SITE := docs/site
PLAY := $(SITE)/pages/public/play
# About a minute on two processors; most of it is VitePress, which renders every page.
site: $(SITE)/$(MODULES) ## the site and its playground, into bin/site; SITE_BASE=/loopstone/ where it does not stand at the root
	@mkdir -p $(REPORTS)
	$(STEP) 'the pages, as Markdown' $(TOOLS) run ./site pages ../$(SITE)/pages ../$(REPORTS) ../docs/implementations
	@mkdir -p $(PLAY) && cp -r $(SITE)/static/. $(SITE)/pages/public
	@cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" $(PLAY)
	$(STEP) 'the playground, as WebAssembly' env GOOS=js GOARCH=wasm \
	  $(TOOLS) build -ldflags='-s -w' -gcflags=all=-l -trimpath -o ../bin/playground.wasm ./site/playground/wasm
	@gzip -9 -c -n bin/playground.wasm > $(PLAY)/playground.bin
	$(STEP) 'the site, into bin/site' npm run --silent --prefix $(SITE) build

# The site in a real browser, after make site; what the playground copies is run. What make matrix has not run is named.
test-site: bin chromium $(BROWSER)/$(MODULES) $(TYPESCRIPT)/$(MODULES)
	@test -f bin/site/index.html || { echo 'there is no site in bin/site: run make site' >&2; exit 1; }
	$(TOOLS) run ./site verdicts > bin/verdicts.json
	cd $(BROWSER) && CHROMIUM=$$(command -v $(CHROMIUM)) PYTHON=$(PYTHON) $(NODE) --test --test-concurrency=1 *.check.js

# The types of the TypeScript kit and ports, by the compiler from npm.
types: $(TYPESCRIPT)/$(MODULES)
	npm run --silent --prefix $(TYPESCRIPT) check
	$(GO) test -short -count=1 -run RecipesConform ./cmd/loopstone

# Tests that loopstone export writes: make long runs them in all runners but vitest, which is npm's.
RUNNERS := $(CURDIR)/.cache/runners
runners: ## exported tests in vitest, and the packages of a release, with their plug-ins for runners; installs vitest
	@mkdir -p $(RUNNERS)
	$(STEP) 'vitest, from npm' npm install --silent --no-save --prefix $(RUNNERS) vitest@4.1.12
	LOOPSTONE_VITEST=$(RUNNERS)/node_modules $(GO) test -count=1 -v -run ExportedTestsRunInTheirRunner/vitest ./cmd/loopstone | \
	  tee /dev/stderr | grep -q -e '--- PASS: .*/vitest'
	LOOPSTONE_VITEST=$(RUNNERS)/node_modules $(TOOLS) test -count=1 ./packages

mutation: ## plant every fault in the reference, let the cases judge, check what they prove; writes docs/dev/strength.md
	$(TOOLS) run ./mutation

# The same; what would be written must be there already.
check-mutation:
	$(TOOLS) run ./mutation check

SHARED := ./reference/swarm/shared ./internal/suite/sharedswarm
swarm-shared: ## swarms of several processes, on a redis-server that each test starts and stops; installs Redis where missing
	@command -v redis-server >/dev/null || { apt-get update && apt-get install -y redis-server; }
	LOOPSTONE_REDIS=1 $(GO) test -race -count=1 -timeout 10m $(SHARED)
	LOOPSTONE_REDIS=1 $(GO) test -vet=off -count=1 -v -run CheckShared ./cmd/loopstone | \
	  tee /dev/stderr | grep -q -e '^--- PASS: TestCheckShared'
	LOOPSTONE_REDIS=1 $(TOOLS) test -vet=off -count=1 ./swarmnetwork

# The detectors of the field, from the folder FROM; tools/originalmutants/originals.yaml has their commits. What builds
# and tests those in TypeScript is npm's.
NODE_TOOLS := $(CURDIR)/.cache/originals
ORIGINALS  ?=
originals: bin ## plant faults in the real detectors of the field, whose sources are in FROM=folder; writes docs/dev/originals.md
	@test -n '$(FROM)' || { echo 'FROM=folder is missing; docs/dev/originals.md says what it holds' >&2; exit 64; }
	@mkdir -p $(NODE_TOOLS)
	npm install --silent --no-save --prefix $(NODE_TOOLS) esbuild@0.28.2 vitest@4.1.12 safe-stable-stringify@2.5.0
	$(TOOLS) run ./originalmutants -from $(abspath $(FROM)) -modules $(NODE_TOOLS)/node_modules -python $(PYTHON) \
	  -results $(NODE_TOOLS)/results $(ORIGINALS)

# Ten seeds for every planted fault: a counterexample as small as the one that is written down, whatever the seed. And
# the faults that people make by habit, planted in the ports, which the cases must notice.
planted: crates jdk
	LOOPSTONE_SLOW=1 $(GO) test -count=1 -timeout 60m -run Planted ./internal/suite/fuzz
	CARGO_HOME=$(CARGO_HOME) LOOPSTONE_SLOW=1 $(TOOLS) test -count=1 -timeout 60m -run Planted ./habits

generate: crates jdk ## rewrite all that is generated or formatted
	$(GOFUMPT) -w ..
	$(TOOLS) test ./projecttests -run UpToDate -update
	.ci/accept
	$(MAKE) --no-print-directory mutation
	CARGO_HOME=$(CARGO_HOME) LOOPSTONE_SLOW=1 $(TOOLS) test -timeout 60m ./habits -run Planted -update
	$(GO) test ./cmd/loopstone ./conformance/report -update

# Write the ids of what this version publishes; for a release.
published:
	$(GO) test ./internal/suite/published -count=1 -run NothingThatIsPublished -update

# A person pastes what it prints. LOOPSTONE_DOCUMENTS names the folder of the source documents, whose listings are measured too.
FIGURES  := bin/figures
MEASURE  := bin/loopstone bench $(EVERYDAY)
GO_BENCH := $(GO) test ./benchmarks -run '^$$' -count 1 -timeout 1h
# The figures of benchmarks/README.md; on a machine with nothing else to do.
figures: bin rust java
	rm -rf $(FIGURES) && mkdir -p $(FIGURES)
	uptime
	for round in 1 2 3 4 5 6; do \
	  $(GO_BENCH) -bench '^BenchmarkListing$$' -benchtime 10000x >> $(FIGURES)/listings.txt && \
	  $(GO_BENCH) -bench '^BenchmarkPipe$$' -benchtime 60000x >> $(FIGURES)/pipe.txt && \
	  $(GO_BENCH) -bench '^BenchmarkSwarm$$' >> $(FIGURES)/swarm.txt && \
	  $(MEASURE) --reference >> $(FIGURES)/reference.txt && \
	  $(MEASURE) -- $(PYTHON) $(ADAPTERS)/python/ports/all.py >> $(FIGURES)/python.txt && \
	  $(MEASURE) -- $(NODE) $(ADAPTERS)/typescript/ports/all.js >> $(FIGURES)/node.txt && \
	  $(MEASURE) -- $(ADAPTERS)/rust/target/release/all >> $(FIGURES)/rust.txt && \
	  $(MEASURE) -- java -cp $(JAVA_DIR)/classes:$(JAVA_LIBS) All >> $(FIGURES)/java.txt || exit; \
	done
	uptime
	$(GO) tool benchstat -filter '.unit:sec/op' -col /by $(FIGURES)/listings.txt
	$(GO) tool benchstat -filter '.unit:sec/op' -col /goroutines $(FIGURES)/swarm.txt
	$(GO) tool benchstat -col /by $(FIGURES)/pipe.txt
	cd $(FIGURES) && $(GO) tool benchstat -filter '.unit:(events/s OR resident-bytes)' reference.txt python.txt node.txt rust.txt java.txt

# Write docs/results.md, docs/dev/study.md and docs/dev/by-agent.md; it needs the corpora, and says where to get them.
real-runs:
	$(TOOLS) test ./pages -run RealRuns -count=1 -update

# Search for the changes that silence each detector, and write their table into docs/dev/evasions.md.
evasions:
	$(TOOLS) test ./pages -run EvasionsAreUpToDate -count=1 -update

# Search for the rules of @loopstone and write docs/dev/best.md; it needs the corpora.
search:
	$(TOOLS) test ./pages -run BestIsUpToDate -count=1 -update

# Every profile beside a naive restatement of its rule, on 100,000 random traces; minutes.
restated:
	$(GO) test ./internal/suite/profile -count=1 -timeout 60m -run TestProfilesSayWhatTheirDetectorsSay -rapid.checks=100000

# Write docs/dev/field.md, all profiles side by side; it needs the corpora.
field:
	$(TOOLS) test ./pages -run Field -count=1 -update

BESIDE := bin/beside
# A whole run of the suite beside one of toml-test, in turns.
beside:
	rm -rf $(BESIDE) && mkdir -p $(BESIDE)
	$(GO) build -o $(BESIDE) ./cmd/loopstone
	GOBIN=$(CURDIR)/$(BESIDE) $(GO) install github.com/toml-lang/toml-test/v2/cmd/toml-test@v2.2.0
	GOBIN=$(CURDIR)/$(BESIDE) $(GO) install github.com/BurntSushi/toml/cmd/toml-test-decoder@v1.6.0
	uptime
	for round in 1 2 3 4 5 6 7 8 9 10; do \
	  LOOPSTONE_BESIDE=$(CURDIR)/$(BESIDE) $(GO_BENCH) -bench '^BenchmarkBeside$$' -benchtime 1x >> $(BESIDE)/beside.txt || exit; \
	done
	$(GO) tool benchstat -col /suite $(BESIDE)/beside.txt

BASELINE := benchmarks/baseline
baselines: bin ## take the files of benchmarks/baseline again
	$(GO) test ./benchmarks -run '^$$' -skip 'Listing|Pipe|Beside' -bench . -benchtime 200ms -count 6 -timeout 2h > $(BASELINE)/go.txt
	bin/loopstone bench --reference --time 200ms > $(BASELINE)/pipe-go.txt
	bin/loopstone bench --time 200ms -- $(PYTHON) $(ADAPTERS)/python/ports/all.py > $(BASELINE)/pipe-python.txt
	bin/loopstone bench --time 200ms -- $(NODE) $(ADAPTERS)/typescript/ports/all.js > $(BASELINE)/pipe-javascript.txt

# The garbage collector is off: one run of it takes longer than a benchmark of 10 ms. Allocations, which are counted, are
# judged in its place.
GATE       := bin/gate
GATE_TESTS := GOGC=off GOMEMLIMIT=2GiB $(CURDIR)/$(GATE)
GATE_FLAGS := -test.run='^$$' -test.bench='^Benchmark(Observe|Parse|Decode|Canonical)$$' -test.benchtime=10ms -test.benchmem \
              -test.skip='/workload=(args-64k|args-1m|log-60k|log-100k|fingerprints-1000000)$$'
# Compare this tree's benchmarks with those of another revision: make bench-gate BASE=main.
bench-gate: bin
	rm -rf $(GATE) && git worktree prune && git worktree add --detach $(GATE)/base $(BASE)
	cd $(GATE)/base && $(GO) test -c -o ../old.test ./benchmarks
	$(GO) test -c -o $(GATE)/new.test ./benchmarks
	for round in 1 2 3 4 5 6 7 8 9 10; do \
	  (cd $(GATE)/base/benchmarks && $(GATE_TESTS)/old.test $(GATE_FLAGS)) >> $(GATE)/old.txt && \
	  (cd benchmarks && $(GATE_TESTS)/new.test $(GATE_FLAGS)) >> $(GATE)/new.txt || exit; \
	done
	git worktree remove --force $(GATE)/base
	bin/loopstone bench compare --gate 25% $(GATE)/old.txt $(GATE)/new.txt

bin: ## build bin/loopstone
	$(GO) build $(LINKED) -o bin/loopstone ./cmd/loopstone

# GoReleaser is run by its version from the module proxy: its modules are many times those of this project. The first time
# they are compiled for minutes.
GORELEASER ?= $(GO) run github.com/goreleaser/goreleaser/v2@v2.16.0
dist: ## build a release into dist/, unpublished: archives, packages, checksums, bills of materials
	GOFLAGS= $(GORELEASER) release --snapshot --clean
	@$(MAKE) --no-print-directory packages

packages: ## the packages for npm and Python's installers, for each platform, into dist/packages
	$(TOOLS) run ./packages

# Build the release of the last commit twice: is it whole, the same, and does its program work.
check-dist:
	$(GORELEASER) check
	LOOPSTONE_GORELEASER='$(GORELEASER)' $(TOOLS) test -count=1 -timeout 60m ./releasetest
