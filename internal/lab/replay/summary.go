package replay

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec/words"
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

// answer says in a sentence or two whether there was a loop, where, which detector reported it first, and what a stop
// there would have saved.
func answer(r *Replay) string {
	groups := alarmsOf(r)
	if len(groups) == 0 {
		if n := len(r.Seeing()); n > 0 {
			return fmt.Sprintf("No loop: none of %s reports one.", count(n, "detector"))
		}
		return "No detector observes any event of this run."
	}
	first := groups[0]
	for _, group := range groups[1:] {
		if group[0].First.Event == first[0].First.Event {
			first = append(first[:len(first):len(first)], group...)
		}
	}
	saved := r.After(first[0]).spent()
	if saved == "" {
		saved = "nothing: no call came after it"
	}
	return fmt.Sprintf("Loop: reported first by %s, after event %d (call %d of %d). A stop there would have saved %s.",
		someOf(names(first)), first[0].First.Event+1, r.Call(first[0]), r.Total.Calls, saved)
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

// Summary writes all runs: those with a loop whole, as many as a person reads, and then in a line each; those without
// one in a line each where the page has all, else as a number.
func Summary(w io.Writer, watched *Watcher, page Page) error {
	p := newPrinter(w, watched.Runs, page)
	loops, calm := byLoop(watched.Runs)
	if len(watched.Runs) == 1 {
		loops, calm = watched.Runs, nil
	}
	for i, r := range loops {
		if i < mostWhole {
			p.run(r)
			continue
		}
		p.wrapped(p.folder.headline(r) + "; a loop, reported by " + strings.Join(names(r.Speaking()), ", "))
	}
	if page.All {
		for _, r := range calm {
			p.wrapped(p.folder.headline(r) + "; no loop")
		}
	}
	if len(loops) > mostWhole || page.All && len(calm) > 0 {
		p.line("")
	}
	p.notes(watched.Notes)
	if len(watched.Runs) > 1 {
		p.totals(watched.Runs, page.All)
	}
	return p.err
}

// byLoop returns the runs in which some detector reports a loop, and the others.
func byLoop(runs []*Replay) (loops, calm []*Replay) {
	for _, r := range runs {
		if len(r.Speaking()) > 0 {
			loops = append(loops, r)
		} else {
			calm = append(calm, r)
		}
	}
	return loops, calm
}

// sayHowMany says in how many of the runs a loop is reported.
func sayHowMany(loops, calm int) string {
	return fmt.Sprintf("%s: a loop is reported in %d, no loop in %d", count(loops+calm, "run"), loops, calm)
}

// totals counts, for each detector, the runs in which it reports a loop.
func (p *printer) totals(runs []*Replay, all bool) {
	var order []string
	spoke, watched := map[string]int{}, map[string]int{}
	for _, r := range runs {
		for _, l := range r.Seeing() {
			if watched[l.Name()] == 0 {
				order = append(order, l.Name())
			}
			watched[l.Name()]++
			if l.First != nil {
				spoke[l.Name()]++
			}
		}
	}
	loops, calm := byLoop(runs)
	said := sayHowMany(len(loops), len(calm))
	if len(calm) > 0 && !all {
		said += " (--all lists them)"
	}
	p.wrapped(said + ". Detectors that report a loop:")
	for _, name := range order {
		p.line("  %-24s in %d of %d", words.Line(name), spoke[name], watched[name])
	}
}
