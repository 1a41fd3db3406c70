package report

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/testing/golden"
)

// goldenReports lists the reports that have a golden file in every format.
var goldenReports = map[string]func() *conformance.Report{
	"sample":     sample,
	"unchecked":  unchecked,
	"strict":     strictSample,
	"faulty":     faulty,
	"conformant": conformantSample,
	"compared":   compared,
	"repaired":   repaired,
	"own":        ownSample,
}

func TestEveryFormatLooksLikeItsGoldenFile(t *testing.T) {
	for name, make := range goldenReports {
		for _, f := range Formats() {
			t.Run(name+"."+f, func(t *testing.T) {
				t.Parallel()
				golden.Check(t, filepath.Join("testdata", name+"."+f), string(rendered(t, f, make(), sampleOptions())))
			})
		}
	}
}

// textVariants are the golden files of text reports alone. In alike there is one line for each cause, whatever clauses
// its failures are about; in slips one slip that breaks many clauses is one cause, a law of evidence stands behind the
// case that says what is counted wrongly, and every detector that fails has its line.
var textVariants = map[string]struct {
	report func() *conformance.Report
	change func(*Options)
}{
	"sample-colour":  {sample, func(o *Options) { o.Colour = true }},
	"sample-verbose": {sample, func(o *Options) { o.Verbose = true }},
	"sample-60":      {sample, func(o *Options) { o.Width = 60 }},
	"alike":          {alike, func(*Options) {}},
	"slips":          {slips, func(*Options) {}},
	"many":           {func() *conformance.Report { return many(60) }, func(*Options) {}},
	"many-60":        {func() *conformance.Report { return many(60) }, func(o *Options) { o.Width = 60 }},
}

func TestTextVariantsLookLikeTheirGoldenFiles(t *testing.T) {
	for name, variant := range textVariants {
		options := sampleOptions()
		variant.change(&options)
		page := string(rendered(t, "text", variant.report(), options))
		golden.Check(t, filepath.Join("testdata", name+".text"), page)
	}
}

func TestRenderingLeavesTheReportAlone(t *testing.T) {
	r := sample()
	before := rendered(t, "jsonl", r, Options{})
	for _, f := range Formats() {
		rendered(t, f, r, sampleOptions())
	}
	if after := rendered(t, "jsonl", r, Options{}); !bytes.Equal(before, after) {
		t.Errorf("the report has changed:\n%s", after)
	}
}

func rendered(t testing.TB, format string, r *conformance.Report, options Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(format, &b, r, options); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
