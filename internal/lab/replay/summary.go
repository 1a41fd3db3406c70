package replay

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// folder is the one that holds all sources of a report, or empty. It is left out of what people read: the path says
// where on a machine the logs are, and a report may be shared.
type folder string

func folderOf(runs []*Replay) folder {
	if len(runs) == 0 {
		return ""
	}
	common := filepath.Dir(runs[0].Source)
	for _, r := range runs[1:] {
		for !strings.HasPrefix(r.Source, common+string(filepath.Separator)) && common != filepath.Dir(common) {
			common = filepath.Dir(common)
		}
	}
	return folder(common)
}

// short returns a text without the folder that it begins with.
func (f folder) short(text string) string {
	return strings.TrimPrefix(text, strings.TrimSuffix(string(f), string(filepath.Separator))+string(filepath.Separator))
}

// holds reports whether all runs are in the folder.
func (f folder) holds(runs []*Replay) bool {
	return !slices.ContainsFunc(runs, func(r *Replay) bool { return f.short(r.Source) == r.Source })
}

// name returns what a report calls a run: its file below the folder, and what the run's own name adds to that.
func (f folder) name(r *Replay) string {
	name := f.short(r.Source)
	if strings.Contains(name, r.Name) {
		return name
	}
	base := filepath.Base(r.Source)
	if number, found := strings.CutPrefix(r.Name, strings.TrimSuffix(base, filepath.Ext(base))); found {
		return name + number
	}
	return name + " " + r.Name
}

// headline names the run and says how long it is.
func (f folder) headline(r *Replay) string {
	return fmt.Sprintf("%s (%s): %s", f.name(r), r.Format, r.Total)
}

// answer says in a sentence how many detectors raise an alarm, which is first, and when. An alarm is not yet a loop.
func answer(r *Replay) string {
	groups := alarmsOf(r)
	if len(groups) == 0 {
		return howMany(r) + "."
	}
	at := groups[0][0].First.At
	first := slices.Concat(lists.Filter(groups, func(g []*Lane) bool { return g[0].First.At == at })...)
	return fmt.Sprintf("%s; first: %s, after event %d (call %d of %d).",
		howMany(r), someOf(names(first)), at+1, r.Call(first[0]), r.Total.Calls)
}

// howMany says how many of the detectors that observe the run raise an alarm.
func howMany(r *Replay) string {
	alarms, observing := len(r.Speaking()), len(r.Seeing())
	switch {
	case observing == 0:
		return "No detector observes any event of this run"
	case alarms == 1 || observing == 1:
		return fmt.Sprintf("%d of %s raises an alarm", alarms, wording.Count(observing, "detector"))
	default:
		return fmt.Sprintf("%d of %s raise an alarm", alarms, wording.Count(observing, "detector"))
	}
}

// someOf joins names, and counts those after the third.
func someOf(names []string) string {
	const most = 3
	if len(names) > most+1 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// mostWhole is how many runs are shown whole where there are many.
const mostWhole = 8

// Summary writes all runs: those with an alarm whole, as many as a person reads, and then in a line each; those without
// one in a line each where the page has all, else as a number.
func Summary(w io.Writer, watched *Watcher, page Page) error {
	p := newPrinter(w, watched.Runs, page)
	alarmed, calm := byAlarm(watched.Runs)
	if len(watched.Runs) == 1 {
		alarmed, calm = watched.Runs, nil
	}
	for i, r := range alarmed {
		if i < mostWhole {
			p.run(r)
			continue
		}
		p.wrapped(p.folder.headline(r) + "; " + howMany(r) + ": " + strings.Join(names(r.Speaking()), ", "))
	}
	if page.All {
		for _, r := range calm {
			p.wrapped(p.folder.headline(r) + "; no alarm")
		}
	}
	if len(alarmed) > mostWhole || page.All && len(calm) > 0 {
		p.line("")
	}
	p.notes(watched.Notes)
	if len(watched.Runs) > 1 {
		p.totals(watched.Runs, page.All)
	}
	return p.err
}

// byAlarm returns the runs in which some detector raises an alarm, and the others.
func byAlarm(runs []*Replay) (alarmed, calm []*Replay) {
	return lists.Partition(runs, func(r *Replay) bool { return len(r.Speaking()) > 0 })
}

// shares says how many of the runs have an alarm.
func shares(alarmed, calm int) string {
	return fmt.Sprintf("%s: %d with an alarm, %d without", wording.Count(alarmed+calm, "run"), alarmed, calm)
}

// totals counts, for each detector, the runs in which it raises an alarm.
func (p *printer) totals(runs []*Replay, all bool) {
	var seeing []*Lane
	for _, r := range runs {
		seeing = append(seeing, r.Seeing()...)
	}
	alarmed, calm := byAlarm(runs)
	said := shares(len(alarmed), len(calm))
	if len(calm) > 0 && !all {
		said += " (--all lists them)"
	}
	p.wrapped(said + ". Runs with an alarm, by detector:")
	for _, lanes := range lists.Grouped(seeing, func(l *Lane) string { return l.Name() }) {
		p.line("  %-24s %d of %d", wording.Line(lanes[0].Name()), lists.Count(lanes, (*Lane).hasAlarm), len(lanes))
	}
}
