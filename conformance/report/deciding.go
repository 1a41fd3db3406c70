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
		{"--case", s.Selection.Cases}, {"--detector", s.Selection.Detectors}, {"--reading", s.Selection.Readings},
		{"--clause", s.Selection.Clauses}, {"--tag", s.Selection.Tags},
	} {
		if len(each.patterns) > 0 && !strings.Contains(deciding, " "+each.flag+" ") {
			text += " " + each.flag + " " + strings.Join(each.patterns, ",")
		}
	}
	return text
}

// deciding returns the flags with which a strict run would be decided that is undecided because of what the port does not
// declare: those that select what it has, and those that allow the rest to be missing. It returns nothing where the run is
// undecided for another reason, or where no flags would do.
func deciding(r *conformance.Report) string {
	missing := r.Intolerable()
	if r.Outcome() != conformance.NotDecided || len(missing) == 0 && !r.HidesMembers() {
		return ""
	}
	if r.Count(conformance.Undecided) > 0 || r.Unexplained > 1 || r.PartAlone || r.Suite.UncheckedLaws > 0 || r.OnlyManners() {
		return ""
	}
	detectors, allowed := []string{}, words.Of(r.Allowed)
	for _, offer := range r.Port.Detectors {
		if slices.ContainsFunc(r.Results, func(result conformance.Result) bool { return result.Detector == offer.Detector }) {
			detectors = append(detectors, string(offer.Detector))
			allowed = append(allowed, offer.Uncompared()...)
		}
	}
	isLeftOut := map[string]bool{} // readings that some detector lacks
	foreign := false               // detectors that the port does not have are asked
	for _, result := range missing {
		readings, offered := offerOf(r.Port, result.Detector)
		switch {
		case !offered:
			foreign = true
		case !slices.Contains(readings, result.Reading):
			isLeftOut[string(result.Reading)] = true
		default:
			allowed = slices.Concat(allowed, words.Of(result.Missing), words.Of(result.MissingRules),
				result.MissingSettings, result.MissingMembers)
		}
	}
	flags := ""
	if foreign {
		if slices.ContainsFunc(r.Results, func(result conformance.Result) bool { return result.Detector == cases.Protocol }) {
			detectors = append(detectors, string(cases.Protocol))
		}
		flags += " --detector " + strings.Join(detectors, ",")
	}
	if len(isLeftOut) > 0 {
		left := slices.DeleteFunc([]string{string(spec.Text), string(spec.Code)}, func(name string) bool { return isLeftOut[name] })
		if len(left) == 0 {
			return ""
		}
		flags += " --reading " + strings.Join(left, ",")
	}
	if slices.Sort(allowed); len(allowed) > 0 {
		flags += " --allow " + strings.Join(slices.Compact(allowed), ",")
	}
	return words.Line(flags)
}
