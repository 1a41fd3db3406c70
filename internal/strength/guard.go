package strength

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/loopstone/loopstone/internal/strength/chosen"
	"github.com/loopstone/loopstone/internal/strength/mutation"
)

// chosenPath is the package that tells the mutants of guards which of them is on.
const chosenPath = "github.com/loopstone/loopstone/internal/strength/chosen"

// Guard is code that decides between pass and fail, and the tests that must notice its faults.
type Guard struct {
	Package string   // as go test takes it
	Files   []string // below the module's root
	Tests   string   // those of the package's tests that judge, as go test -run takes it
}

// Guards are all that decides: comparison, selection, attribution and outcome; the judges of traces and of lines, the
// quarantine, and whose fault an attempt shows; the ledger; the evidence.
var Guards = []Guard{
	{
		Package: "./conformance",
		Files: []string{
			"conformance/compare.go", "conformance/selection.go", "conformance/suspicion.go", "conformance/outcome.go",
			"conformance/plan.go", "conformance/blame.go",
		},
		Tests: "^Test(Compare|Select|Shard|Suspicion|Outcome|Plan|Blame)",
	},
	{Package: "./conformance", Files: []string{"conformance/judge.go"}, Tests: "^TestJudge"},
	{Package: "./conformance", Files: []string{"conformance/quarantine.go"}, Tests: "^TestQuarantine"},
	{Package: "./conformance", Files: []string{"conformance/exchange.go"}, Tests: "^TestExchange"},
	{
		Package: "./conformance",
		Files:   []string{"conformance/attempt.go", "conformance/second_opinion.go", "conformance/fence.go"},
		Tests:   "^Test(Attempt|SecondOpinion)",
	},
	{
		Package: "./internal/knownfailures",
		Files:   []string{"internal/knownfailures/apply.go", "internal/knownfailures/claim.go", "internal/knownfailures/ledger.go"},
		Tests:   "^Test(EachGate|AnEntry|Problems|Claim|Read|Written|Write)", // not the laws, which draw by chance

	},
	{
		Package: "./internal/laws",
		Files:   []string{"internal/laws/evidence.go"},
		Tests:   ".",
	},
}

// GuardBuild is the test program of each guard with every mutant of the guard compiled in.
type GuardBuild struct {
	Mutants []mutation.Mutant
	build   *Build
	owners  map[string]int // by file: the position of its guard
	guards  []Guard
}

// CompileGuards plants faults in the files of the guards, in the module at root, and compiles their packages' tests
// with the copies. The tree is not touched. Close removes what was written.
func CompileGuards(ctx context.Context, root string, guards []Guard) (*GuardBuild, error) {
	g := &GuardBuild{guards: guards, owners: map[string]int{}}
	var packages []string
	for i, guard := range guards {
		packages = append(packages, guard.Package)
		for _, file := range guard.Files {
			g.owners[file] = i
		}
	}
	program, err := mutation.Mutate(root, chosenPath, packages...)
	if err != nil {
		return nil, err
	}
	if err := g.choose(root, program); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "loopstone-guards-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the mutated copies: %w", err)
	}
	g.build = &Build{Program: program, folder: folder}
	if err := g.compile(ctx, root); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// Close removes the copies and the test programs.
func (g *GuardBuild) Close() error { return g.build.Close() }

// choose leaves of a program only what stands in the guards' files. A file without mutants is an error: it was renamed.
func (g *GuardBuild) choose(root string, program *mutation.Program) error {
	found := map[string]bool{}
	for _, m := range program.Mutants {
		if _, wanted := g.owners[m.File]; wanted {
			g.Mutants = append(g.Mutants, m)
			found[filepath.Join(root, filepath.FromSlash(m.File))] = true
		}
	}
	for path := range program.Files {
		if !found[path] {
			delete(program.Files, path)
		}
	}
	for file := range g.owners {
		if !found[filepath.Join(root, filepath.FromSlash(file))] {
			return fmt.Errorf("no mutants in %s", file)
		}
	}
	return nil
}

func (g *GuardBuild) compile(ctx context.Context, root string) error {
	overlay, err := g.build.writeCopies()
	if err != nil {
		return err
	}
	for i, guard := range g.guards {
		command := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", g.tests(i), guard.Package)
		command.Dir = root
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("build the tests of %s: %w:\n%s", guard.Package, err, out)
		}
	}
	return nil
}

// tests returns the path of the test program of a guard.
func (g *GuardBuild) tests(guard int) string {
	return filepath.Join(g.build.folder, "tests-"+strconv.Itoa(guard))
}

// Judge lets the tests judge every mutant, some at a time.
// An error means that not even the original passes, or that a program cannot be started.
func (g *GuardBuild) Judge(ctx context.Context, root string) ([]Outcome, error) {
	for i := range g.guards {
		if out, err := g.run(ctx, root, i, 0); err != nil {
			return nil, fmt.Errorf("the original does not pass the tests of %s: %w:\n%s", g.guards[i].Package, err, out)
		}
	}
	outcomes := make([]Outcome, len(g.Mutants))
	problems := make([]error, len(g.Mutants))
	next := make(chan int)
	var workers sync.WaitGroup
	for range guardJobs {
		workers.Go(func() {
			for i := range next {
				outcomes[i], problems[i] = g.judge(ctx, root, g.Mutants[i])
			}
		})
	}
	for i := range g.Mutants {
		next <- i
	}
	close(next)
	workers.Wait()
	return outcomes, errors.Join(problems...)
}

// guardJobs is how many test programs run at a time: some wait for processes more than they work.
const guardJobs = 4

func (g *GuardBuild) judge(ctx context.Context, root string, m mutation.Mutant) (Outcome, error) {
	o := Outcome{Mutant: m}
	guard := g.owners[m.File]
	_, err := g.run(ctx, root, guard, m.ID)
	var failed *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &failed) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		o.Killers = []string{"the tests of " + g.guards[guard].Package}
	default:
		return o, fmt.Errorf("judge mutant %d: %w", m.ID, err)
	}
	return o, nil
}

// guardPatience is how long the tests of one guard may take; they need less than a second.
const guardPatience = 6 * time.Second

// run runs the tests of a guard with one mutant on. 0 is the original.
func (g *GuardBuild) run(ctx context.Context, root string, guard, id int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, guardPatience)
	defer cancel()
	command := exec.CommandContext(ctx, g.tests(guard), "-test.short", "-test.failfast", "-test.run="+g.guards[guard].Tests)
	command.Dir = filepath.Join(root, filepath.FromSlash(g.guards[guard].Package))
	command.Env = append(slices.Clone(os.Environ()), chosen.Variable+"="+strconv.Itoa(id))
	command.WaitDelay = time.Second
	return command.CombinedOutput()
}
