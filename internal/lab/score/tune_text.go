package score

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/loopstone/loopstone/internal/wording"
)

// WriteText writes what is proposed for a terminal of that many columns.
func (t *Tuning) WriteText(w io.Writer, width int) error {
	sections := []section{t.proposal(), t.effect()}
	if len(t.Lost) > 0 {
		sections = append(sections, t.lost())
	}
	if err := writeText(w, width, sections...); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nTHE CONFIGURATION\n%s\n", wording.VisibleJSON(t.Config.AppendJSON(nil)))
	return err
}

func (t *Tuning) proposal() section {
	kind := "runs"
	if t.Labelled {
		kind = "healthy runs"
	}
	s := section{
		Title: "Proposed counts",
		Lines: []string{fmt.Sprintf("budget: %s in %d steps of %s; there are %.0f with %.0f steps. "+
			"Only the first alarm of a run counts.", t.Budget, budgetSteps, kind, t.Runs, t.Steps)},
		Head: []string{"rule", "reports now at", "proposed"},
	}
	switch {
	case !t.Kept:
		s.Lines = append(s.Lines, "NOT KEPT: no counts up to "+strconv.Itoa(mostCount)+" keep the budget.")
	case t.keptNow():
		s.Lines = append(s.Lines, "The counts of now keep the budget.")
	}
	s.Lines = append(s.Lines, t.doubts(kind)...)
	for _, r := range t.Rules {
		proposed := strconv.Itoa(r.Proposed)
		if r.Never() {
			proposed = "never"
			s.Lines = append(s.Lines, fmt.Sprintf("NEVER: the rule %s counts up to %d, and each of these counts breaks the "+
				"budget; the configuration is without it.", wording.Line(r.Name), r.reach))
		}
		s.Rows = append(s.Rows, []string{wording.Line(r.Name), strconv.Itoa(r.Now), proposed})
	}
	return s
}

// String says the budget in words.
func (b Budget) String() string {
	if b == 1 {
		return "1 alarm"
	}
	return fmt.Sprintf("%g alarms", float64(b))
}

// doubts says why the proposal may be worth little: too few steps to measure the budget, or counts that find nothing.
func (t *Tuning) doubts(kind string) (lines []string) {
	if need := math.Ceil(budgetSteps / float64(t.Budget)); t.Steps < need && t.Budget > 0 {
		lines = append(lines, fmt.Sprintf("TOO FEW STEPS: one alarm in %.15g is over the budget, so that only counts "+
			"without any alarm keep it. Take at least %.15g steps of %s.", t.Steps, need, kind))
	}
	switch found := t.Proposed.Found; {
	case found.Of > 0 && found.Part == 0:
		lines = append(lines, "FINDS NOTHING: the proposed counts miss every loop.")
	case !t.Labelled && t.Proposed.Alarms == 0:
		lines = append(lines, "FINDS NOTHING: the proposed counts report a loop in no run. Mark loops with loopstone label, "+
			"and pass its file with --labels, to see what they find.")
	}
	return lines
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
		s.Rows = append(s.Rows, []string{wording.Line(l.Run.Name), result.label(), strconv.Itoa(l.Step + 1)})
	}
	if len(t.Lost) > mostDisagreements {
		s.Lines = []string{fmt.Sprintf("The first %d of %d.", mostDisagreements, len(t.Lost))}
	}
	return s
}
