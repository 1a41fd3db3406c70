package score

import (
	"context"
	"path/filepath"

	"github.com/loopstone/loopstone/internal/lab/recording"
)

// recordings lists all logs below a folder, or a file. Some formats tell the outcome, and one how
// people labelled the steps.
func (c *Corpus) recordings() ([]unit, error) {
	sources, err := recording.Sources([]string{c.Path}, "")
	units := make([]unit, len(sources))
	for i, source := range sources {
		units[i] = unit{rest: true, read: func(ctx context.Context, in intake) error {
			err := readRuns(ctx, source, c.Path, in, func(from *recording.Run, run *Run) error {
				if from.Solved != nil {
					run.Solved = truthOf(*from.Solved)
				}
				switch {
				case from.Relations != nil:
					in.fit(run, from.Relations)
				case from.Format == recording.SolaST:
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
	ctx context.Context, source recording.Source, folder string, in intake, each func(*recording.Run, *Run) error,
) error {
	var order []*recording.Run
	runs := map[*recording.Run]*Run{}
	err := source.Read(in.sink(func(e recording.Event) error {
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
