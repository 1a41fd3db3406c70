package score

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Corpus is a folder of runs with labels. What it holds is counted while it is scored.
type Corpus struct {
	Origin
	Counts

	Problem error // what was wrong with some of its files; the others are scored

	wanted  map[string]bool    // the runs that labels or a sample are about, and whether the corpus has them
	notes   map[string]int     // what readers left out or could not know, and in how many runs
	changes []func(*Run) error // what labels and a sample say of each run
	list    func() ([]unit, error)
}

// Origin is where a corpus comes from.
type Origin struct {
	Path    string `json:"path"`
	Source  string `json:"source,omitempty"` // as the manifest says, as the next two; empty where there is none
	Commit  string `json:"commit,omitempty"`
	Licence string `json:"licence,omitempty"`
}

// Counts is what a corpus holds.
type Counts struct {
	Runs       int `json:"runs"`
	Steps      int `json:"steps"`
	Loops      int `json:"loops"`
	Healthy    int `json:"healthy"`
	Pairs      int `json:"pairs"`
	Solved     int `json:"solved"`
	Unsolved   int `json:"unsolved"`
	Unlabelled int `json:"unlabelled"`
}

// intake takes in what a unit holds: runs, and notes.
type intake struct {
	each func(*Run) error
	note func(text string)
}

// sink returns what takes in the notes of a reader, each once a run.
func (in intake) sink(event func(agentlogs.Event) error) agentlogs.Sink {
	seen := map[string]bool{}
	return agentlogs.Sink{Event: event, Note: func(n agentlogs.Note) {
		key := n.Text
		if n.Run != nil {
			key += "\x00" + n.Run.Name
		}
		if !seen[key] {
			seen[key] = true
			in.note(n.Text)
		}
	}}
}

// Open looks what kind of corpus a folder or file is: one with a manifest, or recordings of any format, of which some
// say whether the task was solved, or how steps relate. Its errors are about the corpus, see [userfiles.Wrong].
func Open(ctx context.Context, path string) (*Corpus, error) {
	c, err := open(ctx, path)
	return c, userfiles.Wrong(err)
}

func open(ctx context.Context, path string) (*Corpus, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	c := &Corpus{Origin: Origin{Path: path}, notes: map[string]int{}, wanted: map[string]bool{}}
	manifest := filepath.Join(path, manifestName)
	if filepath.Base(path) == manifestName {
		manifest = path
	}
	if _, err := os.Stat(manifest); err == nil {
		return c, c.openManifest(ctx, manifest)
	} else if !errors.Is(err, fs.ErrNotExist) && info.IsDir() {
		return nil, err
	}
	c.list = c.recordings
	return c, nil
}

// Each reads run after run; only those of one file are held at a time.
func (c *Corpus) Each(ctx context.Context, each func(*Run) error) error {
	units, err := unitsOf([]*Corpus{c})
	if err != nil {
		return err
	}
	runs := 0
	for _, u := range units {
		found, err := u.visit(ctx, func(run *Run) error {
			runs++
			run.Corpus = c.Path
			return each(run)
		})
		if err != nil {
			return err
		}
		c.take(found, nil)
	}
	return c.wantsRuns(runs)
}

// take takes in what was found in a unit, and hands on its runs.
func (c *Corpus) take(found unitResult, each func(Result)) {
	for _, text := range found.Notes {
		c.notes[text]++
	}
	if found.Problem != "" {
		c.Problem = errors.Join(c.Problem, errors.New(found.Problem))
	}
	for _, place := range found.misfits {
		c.meet(place)
	}
	for _, result := range found.Runs {
		result.Run.Corpus = c.Path
		c.meet(result.Run.Place)
		each(result)
	}
}

// change lets labels and a sample say what they know of a run.
func (c *Corpus) change(run *Run) error {
	for _, change := range c.changes {
		if err := change(run); err != nil {
			return err
		}
	}
	return nil
}

// Problems joins what was wrong with the corpora: of that, nobody knows.
func Problems(corpora []*Corpus) error {
	return errors.Join(lists.Map(corpora, func(c *Corpus) error { return c.Problem })...)
}

// wantsRuns returns an error where the corpus has no run.
func (c *Corpus) wantsRuns(runs int) error {
	switch {
	case runs > 0:
		return nil
	case c.Problem != nil:
		return userfiles.Wrong(c.Problem)
	default:
		return userfiles.Wrong(fmt.Errorf("%s: holds no run of an agent", c.Path))
	}
}

func (c *Corpus) count(run *Run, steps int) {
	c.Runs++
	c.Steps += steps
	c.Pairs += len(run.Pairs)
	c.Loops += count(run.Loop == Yes)
	c.Healthy += count(run.Loop == No)
	c.Solved += count(run.Solved == Yes)
	c.Unsolved += count(run.Solved == No)
	c.Unlabelled += count(!run.Labelled())
}

// Notes says what the readers left out or could not know, and in how many runs, one a line.
func (c *Corpus) Notes() []string {
	var lines []string
	for _, text := range slices.Sorted(maps.Keys(c.notes)) {
		lines = append(lines, fmt.Sprintf("%s: %s", wording.Count(c.notes[text], "run"), text))
	}
	return lines
}

// fit takes over the labels of a run: one for each step but the first.
func (in intake) fit(run *Run, labels []string) {
	run.setPairs(lists.Map(labels, relationOf))
	isCall := func(e spec.Value) bool { return spec.TypeOf(e) == spec.ToolCall }
	if lists.Count(run.Events, isCall) != len(labels)+1 {
		in.note("the labels are not one fewer than the steps; the first label is taken for the second step")
	}
}

func relationOf(cell string) Relation {
	cell = strings.TrimSpace(cell)
	if strings.EqualFold(cell, string(Repetition)) {
		return Repetition
	}
	return Relation(cell)
}

// recordings lists all logs below a folder, or a file. Some formats tell the outcome, and one how
// people labelled the steps.
func (c *Corpus) recordings() ([]unit, error) {
	sources, err := agentlogs.Sources([]string{c.Path}, "")
	units := make([]unit, len(sources))
	for i, source := range sources {
		units[i] = unit{rest: true, read: func(ctx context.Context, in intake) error {
			err := readRuns(ctx, source, c.Path, in, func(from *agentlogs.Run, run *Run) error {
				if from.Solved != nil {
					run.Solved = truthOf(*from.Solved)
				}
				switch {
				case from.Relations != nil:
					in.fit(run, from.Relations)
				case from.Format == agentlogs.SolaST:
					in.note("has no file of labels")
				}
				return in.each(run)
			})
			if source.LeavesOut(err, in.sink(nil)) {
				return nil
			}
			return err
		}}
	}
	return units, err
}

// readRuns hands on the runs of a source below a folder, one after the other. They may be mixed, so they are held until
// the source is read. What could be read of a broken source is handed on, too.
func readRuns(
	ctx context.Context, source agentlogs.Source, folder string, in intake, each func(*agentlogs.Run, *Run) error,
) error {
	var order []*agentlogs.Run
	runs := map[*agentlogs.Run]*Run{}
	err := source.Read(ctx, in.sink(func(e agentlogs.Event) error {
		run := runs[e.Run]
		if run == nil {
			run = &Run{Name: e.Run.Name, Agent: e.Run.Agent}
			runs[e.Run] = run
			order = append(order, e.Run)
		}
		run.Events = append(run.Events, e.Value)
		return ctx.Err()
	}))
	for _, from := range order {
		runs[from].Place = below(folder, source.Path)
		if len(order) > 1 {
			runs[from].Place += "#" + from.Name
		}
		if refused := each(from, runs[from]); refused != nil {
			return refused
		}
	}
	return err
}

// below returns a path as it stands below a folder, with slashes. A file that is the corpus itself keeps its name.
func below(folder, path string) string {
	rel, err := filepath.Rel(folder, path)
	if err != nil || rel == "." {
		return filepath.Base(path)
	}
	return filepath.ToSlash(rel)
}
