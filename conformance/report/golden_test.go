package report

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/guard/golden"
)

// goldenReports lists the reports that have a golden file in every format.
var goldenReports = map[string]func() *conformance.Report{
	"sample":     sample,
	"unchecked":  unchecked,
	"strict":     strictSample,
	"faulty":     faulty,
	"conformant": conformantSample,
}

func TestEveryFormatLooksLikeItsGoldenFile(t *testing.T) {
	for name, make := range goldenReports {
		for _, f := range Formats() {
			t.Run(name+"."+f.Name, func(t *testing.T) {
				t.Parallel()
				golden.Check(t, filepath.Join("testdata", name+"."+f.Name), string(rendered(t, f.Name, make(), sampleOptions())))
			})
		}
	}
}

func TestTextVariantsLookLikeTheirGoldenFiles(t *testing.T) {
	colour, verbose := sampleOptions(), sampleOptions()
	colour.Colour, verbose.Verbose = true, true
	golden.Check(t, filepath.Join("testdata", "sample-colour.text"), string(rendered(t, "text", sample(), colour)))
	golden.Check(t, filepath.Join("testdata", "sample-verbose.text"), string(rendered(t, "text", sample(), verbose)))
	for _, width := range []int{60, 120} {
		options := sampleOptions()
		options.Width = width
		for name, r := range map[string]*conformance.Report{"sample": sample(), "alike": alike(), "many": many(60)} {
			file := fmt.Sprintf("%s-%d.text", name, width)
			golden.Check(t, filepath.Join("testdata", file), string(rendered(t, "text", r, options)))
		}
	}
	golden.Check(t, filepath.Join("testdata", "alike.text"), string(rendered(t, "text", alike(), sampleOptions())))
	golden.Check(t, filepath.Join("testdata", "many.text"), string(rendered(t, "text", many(60), sampleOptions())))
}

func TestNoGoldenFileIsLeftOver(t *testing.T) {
	found, err := filepath.Glob("testdata/*.*") // rapid keeps a folder there
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range []string{
		"alike", "alike-60", "alike-120", "many", "many-60", "many-120", "slips",
		"sample-60", "sample-120", "sample-colour", "sample-verbose",
	} {
		want = append(want, "testdata/"+name+".text")
	}
	for name := range maps.Keys(goldenReports) {
		for _, f := range Formats() {
			want = append(want, "testdata/"+name+"."+f.Name)
		}
	}
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Errorf("golden files\n got %q\nwant %q", found, want)
	}
}

func TestRenderingIsDeterministic(t *testing.T) {
	for _, f := range Formats() {
		if a, b := rendered(t, f.Name, sample(), sampleOptions()), rendered(t, f.Name, sample(), sampleOptions()); !bytes.Equal(a, b) {
			t.Errorf("two renderings as %s differ", f.Name)
		}
	}
}

func TestRenderingLeavesTheReportAlone(t *testing.T) {
	r := sample()
	before := rendered(t, "json", r, Options{})
	for _, f := range Formats() {
		rendered(t, f.Name, r, sampleOptions())
	}
	if after := rendered(t, "json", r, Options{}); !bytes.Equal(before, after) {
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
