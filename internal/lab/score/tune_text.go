package score

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/loopstone/loopstone/spec/words"
)

// WriteText writes what is proposed for a terminal of that many columns.
func (t *Tuning) WriteText(w io.Writer, width int) error {
	p := &page{width: max(width, leastWidth)}
	for _, s := range t.sections() {
		p.section(s)
	}
	fmt.Fprintf(p, "\nTHE CONFIGURATION\n%s\n", t.Config)
	_, err := io.WriteString(w, p.String())
	return err
}

func (t *Tuning) sections() []section {
	list := []section{t.proposal(), t.effect()}
	if len(t.Lost) > 0 {
		list = append(list, t.lost())
	}
	return list
}

func (t *Tuning) proposal() section {
	kind := "runs"
	if t.Labelled {
		kind = "healthy runs"
	}
	s := section{
		Title: "Proposed counts",
		Lines: []string{fmt.Sprintf("budget: %g alarms in %d steps of %s; there are %.0f with %.0f steps. "+
			"Only the first alarm of a run counts.", float64(t.Budget), budgetSteps, kind, t.Runs, t.Steps)},
		Head: []string{"rule", "reports now at", "proposed"},
	}
	switch {
	case !t.Kept:
		s.Lines = append(s.Lines, "NOT KEPT: no counts up to "+strconv.Itoa(mostCount)+" keep the budget.")
	case t.keptNow():
		s.Lines = append(s.Lines, "The counts of now keep the budget.")
	}
	for _, r := range t.Rules {
		s.Rows = append(s.Rows, []string{words.Line(r.Name), strconv.Itoa(r.Now), strconv.Itoa(r.Proposed)})
	}
	return s
}

func (t *Tuning) keptNow() bool {
	return !slices.ContainsFunc(t.Rules, func(r TunedRule) bool { return r.Proposed != r.Now })
}

func (t *Tuning) effect() section {
	s := section{Title: "What changes", Head: []string{"", "now", "proposed"}}
	row := func(name string, of func(Tuned) string) {
		s.Rows = append(s.Rows, []string{name, of(t.Now), of(t.Proposed)})
	}
	row("alarms", func(at Tuned) string { return fmt.Sprintf("%.0f", at.Alarms) })
	row(fmt.Sprintf("alarms in %d steps", budgetSteps), func(at Tuned) string {
		return fmt.Sprintf("%.2f", at.Alarms*budgetSteps/t.Steps)
	})
	if t.Now.Found.Of > 0 {
		row("loops found", func(at Tuned) string { return part(at.Found) })
	}
	row("steps after the first alarm", func(at Tuned) string { return percent(at.Saved) })
	return s
}

// lost lists the first of the alarms that are gone.
func (t *Tuning) lost() section {
	s := section{
		Title: "Runs that no longer have an alarm",
		Head:  []string{"run", "label", "alarm now at step"},
	}
	for _, l := range t.Lost[:min(len(t.Lost), mostDisagreements)] {
		result := Result{Run: l.Run}
		s.Rows = append(s.Rows, []string{words.Line(l.Run.Name), result.label(), strconv.Itoa(l.Step + 1)})
	}
	if len(t.Lost) > mostDisagreements {
		s.Lines = []string{fmt.Sprintf("The first %d of %d.", mostDisagreements, len(t.Lost))}
	}
	return s
}
