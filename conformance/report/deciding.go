package report

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// toDecide returns the command with the flags of [deciding]; nothing where there are none, or the command is not known.
func toDecide(r *conformance.Report, options Options) string {
	flags := deciding(r)
	if flags == "" || options.Again == "" {
		return ""
	}
	return strings.Replace(options.Again, "%s", " --strict"+selectionOf(r.Settings, flags)+flags, 1)
}

// toUpdate returns the command that writes the known failures again, if nothing but their list is wrong.
func toUpdate(r *conformance.Report, options Options) string {
	if len(r.Problems) == 0 || r.Count(conformance.Failed) > 0 || options.Known == "" || options.Again == "" {
		return ""
	}
	list := wording.Shell(options.Known)
	return strings.Replace(options.Again, "%s", " --known "+list+" --write-known "+list, 1)
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
			text += " " + each.flag + " " + wording.Shell(strings.Join(each.patterns, ","))
		}
	}
	return text
}

// deciding returns the flags with which a strict run would be decided that is undecided because of what the port does
// not declare: those that select what it has, and those that allow the rest to be missing. It returns nothing where
// the run is undecided for another reason, or where no flags would do.
func deciding(r *conformance.Report) string {
	missing := r.Intolerable()
	if len(missing) == 0 && !r.HidesMembers() || isNotForLack(r) {
		return ""
	}
	detectors, allowed := askedOf(r)
	readings, others := []spec.Reading{spec.Text, spec.Code}, false
	for _, skipped := range missing {
		offer, known := r.Port.Offer(skipped.Detector)
		switch {
		case !known:
			others = true
		case !slices.Contains(offer.Readings, skipped.Reading):
			readings = slices.DeleteFunc(readings, func(lacks spec.Reading) bool { return lacks == skipped.Reading })
		default:
			allowed = slices.Concat(allowed, lists.Strings(skipped.Missing), lists.Strings(skipped.MissingRules),
				skipped.MissingSettings, skipped.MissingMembers)
		}
	}
	flags := ""
	if others {
		flags += " --detector " + wording.Shell(strings.Join(detectors, ","))
	}
	switch len(readings) {
	case 0:
		return ""
	case 1:
		flags += " --reading " + string(readings[0])
	}
	if slices.Sort(allowed); len(allowed) > 0 {
		flags += " --allow " + wording.Shell(strings.Join(slices.Compact(allowed), ","))
	}
	return wording.Line(flags)
}

// isNotForLack reports whether a run is decided, or undecided whatever the port may lack.
func isNotForLack(r *conformance.Report) bool {
	return r.Outcome() != conformance.NotDecided || r.Count(conformance.Undecided) > 0 || r.Unexplained > 0 ||
		r.PartAlone || r.Suite.UncheckedLaws > 0 || r.OnlyManners() || r.LeavesParts()
}

// askedOf returns the detectors of the port that were asked, and what may be missing: what the run allows, and the
// members of their verdicts that are not compared.
func askedOf(r *conformance.Report) (detectors, allowed []string) {
	isAsked := func(id spec.DetectorID) bool {
		return slices.ContainsFunc(r.Results, func(result conformance.Result) bool { return result.Detector == id })
	}
	allowed = lists.Strings(r.Allowed)
	for _, offer := range r.Port.Detectors {
		if isAsked(offer.Detector) {
			detectors, allowed = append(detectors, string(offer.Detector)), append(allowed, offer.Uncompared()...)
		}
	}
	if isAsked(cases.Protocol) {
		detectors = append(detectors, string(cases.Protocol))
	}
	return detectors, allowed
}
