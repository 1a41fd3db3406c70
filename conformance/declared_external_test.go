package conformance_test

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// yesNo finds runs of calls of one text, within a window of 10, and says whether there is one.
type yesNo struct {
	threshold int
	calls     []string
	same      func(spec.Event) string
	ends      func(spec.Event) bool // whether an event that is no call ends a run
}

func (d *yesNo) Reset() { d.calls = nil }

func (d *yesNo) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall {
		if d.ends(e) {
			d.calls = nil
		}
		return spec.Verdict{}
	}
	d.calls = append(d.calls, d.same(e))
	d.calls = d.calls[max(0, len(d.calls)-10):]
	return spec.Verdict{Loop: lastRun(d.calls) >= d.threshold}
}

func isResult(e spec.Event) bool { return e.Type == spec.ToolResult }

func asItIs(config spec.Value) spec.Value { return config }

func never(spec.Event) bool { return false }

// identical writes a call so that identical ones have one text.
func identical(e spec.Event) string { return e.Tool + e.Args.Canonical() }

// exactOnly knows one rule of five and says yes or no; its threshold is all that can be set.
func exactOnly(same func(spec.Event) string, ends func(spec.Event) bool) spec.Implementation {
	offer := spec.Offer{
		Detector: spec.Fingerprint, Readings: []spec.Reading{spec.Text},
		Rules: []spec.VerdictKind{spec.KindExact}, Members: []string{"loop"}, Settings: []string{"threshold"},
	}
	return spec.Implementation{
		Offer: offer,
		New: func(r spec.Reading, config spec.Value) (spec.Detector, error) {
			s, err := offer.Read(r, config)
			return &yesNo{threshold: s.Number("threshold"), same: same, ends: ends}, err
		},
	}
}

// fixed is a whole detector that cannot be set, and takes no configuration at all.
func fixed(change func(spec.Value) spec.Value) spec.Implementation {
	impl := reference.Implementation(spec.Fingerprint)
	impl.Features, impl.Settings, impl.Functions = nil, []string{}, nil
	made := impl.New
	impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
		if _, err := impl.Read(r, config); err != nil {
			return nil, err
		}
		return made(r, change(spec.ObjectValue()))
	}
	return impl
}

// toolsAre writes this tool into its verdicts, whichever was called.
func toolsAre(tool string) spec.Implementation {
	impl := reference.Implementation(spec.Fingerprint)
	impl.Features, impl.Functions = nil, nil
	made := impl.New
	impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
		d, err := made(r, config)
		return &renaming{d, tool}, err
	}
	return impl
}

type renaming struct {
	spec.Detector
	tool string
}

func (d *renaming) Observe(e spec.Event) spec.Verdict {
	v := d.Detector.Observe(e)
	if v.HasTool {
		v.Tool, v.HasTool = d.tool, d.tool != ""
	}
	return v
}

// short has a shorter window than the document says, unless it is told.
func short(defaults spec.Defaults) spec.Implementation {
	impl := with(reference.Implementation(spec.Fingerprint), defaulting("window", 9))
	impl.Features, impl.Functions, impl.Defaults = nil, nil, defaults
	return impl
}

// similarOnly finds outputs that are nearly the same, and says no more than that.
type similarOnly struct {
	similarity, window int
	outputs            []string
	common             func(a, b []rune) int
}

func (d *similarOnly) Reset() { d.outputs = nil }

func (d *similarOnly) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.Output || e.Text == "" {
		return spec.Verdict{}
	}
	loop := slices.ContainsFunc(d.outputs, func(o string) bool {
		a, b := []rune(o), []rune(e.Text)
		return 200*d.common(a, b) >= d.similarity*(len(a)+len(b))
	})
	d.outputs = append(d.outputs, e.Text)
	d.outputs = d.outputs[max(0, len(d.outputs)-d.window):]
	return spec.Verdict{Loop: loop, Kind: kindIf(loop, spec.KindSimilar)}
}

func kindIf(loop bool, kind spec.VerdictKind) spec.VerdictKind {
	if loop {
		return kind
	}
	return ""
}

func longestCommon(a, b []rune) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// sharedPrefix is no longest common subsequence.
func sharedPrefix(a, b []rune) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func ralphWith(common func(a, b []rune) int) spec.Implementation {
	offer := spec.Offer{
		Detector: spec.Ralph, Readings: []spec.Reading{spec.Text}, Rules: []spec.VerdictKind{spec.KindSimilar},
		Members: []string{"loop", "kind"},
	}
	return spec.Implementation{
		Offer: offer,
		New: func(r spec.Reading, config spec.Value) (spec.Detector, error) {
			s, err := offer.Read(r, config)
			return &similarOnly{similarity: s.Number("similarity"), window: s.Number("window"), common: common}, err
		},
	}
}

// TestAPortIsJudgedByWhatItDeclares: small detectors that are no ports of a whole document get all that is asked right,
// and are asked something; with one fault planted each, that fault's clause comes first.
func TestAPortIsJudgedByWhatItDeclares(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		impl   spec.Implementation
		asked  int    // at least
		clause string // of the fault that is planted; empty where there is none
	}{
		{"exact only", exactOnly(identical, never), 41, ""},
		{"exact only, but ids count", exactOnly(func(e spec.Event) string { return e.ID + identical(e) }, never), 41, "FP-6"},
		{"exact only, but results end a run", exactOnly(identical, isResult), 41, "FP-23"},
		{"nothing to set", fixed(asItIs), 54, ""},
		{"nothing to set, but a window of 9", fixed(defaulting("window", 9)), 54, "FP-16"},
		{"leaves out the tool", toolsAre(""), 140, ""},
		{"names another tool", toolsAre("another"), 140, "FP-22"},
		{"defaults of its own", short(spec.OwnDefaults), 134, ""},
		{"defaults of its own, but it does not say so", short(spec.SpecifiedDefaults), 134, "FP-16"},
		{"similar only", ralphWith(longestCommon), 47, ""},
		{"similar only, but by the shared beginning", ralphWith(sharedPrefix), 47, "RA-7"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			port := spec.NewHost(spec.Description{Name: "small", Version: "1", Language: "go"}, test.impl)
			report, err := conformance.Run(t.Context(), port, casesOf(t, test.impl.Detector), conformance.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if asked := len(report.Results) - report.Count(conformance.Skipped); asked < test.asked {
				t.Errorf("%d cases were asked, want at least %d", asked, test.asked)
			}
			first := ""
			if groups := report.ByClause(); len(groups) > 0 {
				first = groups[0].Clause
			}
			if first != test.clause {
				t.Errorf("the first failures are explained by %q, want %q", first, test.clause)
			}
		})
	}
}
