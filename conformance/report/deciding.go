package report

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// toDecide returns the command with the flags of [deciding]; nothing where there are none, or the command is not known.
func toDecide(r *conformance.Report, options Options) string {
	flags := deciding(r)
	if flags == "" || options.Again == "" {
		return ""
	}
	return strings.Replace(options.Again, "%s", " --strict"+selectionOf(r.Settings, flags)+flags, 1)
}

// selectionOf returns the flags of a run's selection that the deciding ones do not replace.
func selectionOf(s conformance.Settings, deciding string) string {
	text := ""
	for _, each := range []struct {
		flag     string
		patterns []string
	}{
		{"--case", s.Selection.Cases},
		{"--detector", s.Selection.Detectors},
		{"--reading", s.Selection.Readings},
		{"--clause", s.Selection.Clauses},
		{"--tag", s.Selection.Tags},
	} {
		if len(each.patterns) > 0 && !strings.Contains(deciding, " "+each.flag+" ") {
			text += " " + each.flag + " " + words.Shell(strings.Join(each.patterns, ","))
		}
	}
	return text
}

// deciding returns the flags with which a strict run would be decided that is undecided because of what the port does
// not declare: those that select what it has, and those that allow the rest to be missing. It returns nothing where
// the run is undecided for another reason, or where no flags would do.
func deciding(r *conformance.Report) string {
	missing := r.Intolerable()
	if r.Outcome() != conformance.NotDecided || len(missing) == 0 && !r.HidesMembers() || isOpen(r) {
		return ""
	}
	choice := newChoice(r)
	for _, result := range missing {
		choice.leaveOut(result)
	}
	return words.Line(choice.flags())
}

// isOpen reports whether a run is undecided whatever the port may lack.
func isOpen(r *conformance.Report) bool {
	return r.Count(conformance.Undecided) > 0 || r.Unexplained > 1 || r.Suite.UncheckedLaws > 0 ||
		r.OnlyManners()
}

// choice is what a strict run asks, and what may be missing there.
type choice struct {
	port      conformance.PortInfo
	detectors []string        // that were asked, and the port has
	foreign   bool            // others were asked, too
	lacking   map[string]bool // readings that one of its detectors does not have
	allowed   []string
}

func newChoice(r *conformance.Report) *choice {
	c := &choice{port: r.Port, lacking: map[string]bool{}, allowed: words.Of(r.Allowed)}
	asked := map[spec.DetectorID]bool{}
	for _, result := range r.Results {
		asked[result.Detector] = true
	}
	for _, offer := range r.Port.Detectors {
		if asked[offer.Detector] {
			c.detectors = append(c.detectors, string(offer.Detector))
			c.allowed = append(c.allowed, offer.Uncompared()...)
		}
	}
	if asked[cases.Protocol] {
		c.detectors = append(c.detectors, string(cases.Protocol))
	}
	return c
}

// leaveOut makes a choice without a result that was skipped.
func (c *choice) leaveOut(skipped conformance.Result) {
	readings, offered := offerOf(c.port, skipped.Detector)
	switch {
	case !offered:
		c.foreign = true
	case !slices.Contains(readings, skipped.Reading):
		c.lacking[string(skipped.Reading)] = true
	default:
		c.allowed = slices.Concat(c.allowed, words.Of(skipped.Missing), words.Of(skipped.MissingRules),
			skipped.MissingSettings, skipped.MissingMembers)
	}
}

// flags returns the choice as flags; nothing where no reading is left.
func (c *choice) flags() string {
	text := ""
	if c.foreign {
		text += " --detector " + words.Shell(strings.Join(c.detectors, ","))
	}
	if len(c.lacking) > 0 {
		left := slices.DeleteFunc(words.Of([]spec.Reading{spec.Text, spec.Code}),
			func(name string) bool { return c.lacking[name] })
		if len(left) == 0 {
			return ""
		}
		text += " --reading " + strings.Join(left, ",")
	}
	if slices.Sort(c.allowed); len(c.allowed) > 0 {
		text += " --allow " + words.Shell(strings.Join(slices.Compact(c.allowed), ","))
	}
	return text
}
