package main

import (
	"context"
	"html"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/tools/site/playground"
)

var written = sync.OnceValues(func() (map[string]string, error) { return pagesOf(context.Background(), nil) })

func pages(t *testing.T) map[string]string {
	t.Helper()
	all, err := written()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWhatHasAnIDHasAPage keeps the addresses that others link to.
func TestWhatHasAnIDHasAPage(t *testing.T) {
	t.Parallel()
	all := pages(t)
	want := []string{"index.md", "playground.md", "implementations.md", "data.json"}
	for _, c := range spec.Clauses() {
		want = append(want, "c/"+c.ID+".md")
	}
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range suite {
		want = append(want, "case/"+c.ID+".md")
	}
	for _, d := range spec.Detectors() {
		want = append(want, "detector/"+string(d.ID)+".md")
	}
	for _, p := range []string{"roo", "hermes", "loopstone"} {
		want = append(want, "profile/"+p+".md")
	}
	for _, name := range want {
		if all[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestEveryLinkHasAPage finds a broken link without a browser.
func TestEveryLinkHasAPage(t *testing.T) {
	t.Parallel()
	all := pages(t)
	links := regexp.MustCompile(`\]\(/([^)#]*)`)
	found := 0
	for name, text := range all {
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			found++
			if target := m[1]; target != "" && all[target+".md"] == "" && all["public/"+target] == "" {
				t.Errorf("%s leads to /%s, which is no page", name, target)
			}
		}
	}
	if found < 5000 {
		t.Errorf("only %d links were found", found)
	}
}

// TestEachRuleIsShown: a trace after which the rule speaks with its proof, and one that lacks an event and is no loop.
func TestEachRuleIsShown(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := rulesOf(context.Background(), suite)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range spec.Detectors() {
		for _, r := range d.Rules {
			rule := rules[r.Kind]
			if rule.Fires.first() != len(rule.Fires.Events)-1 || rule.Quiet.first() >= 0 {
				t.Errorf("%s: the traces do not show the rule", r.Kind)
			}
			for _, reading := range d.Readings {
				if c, ok := spec.ClauseByID(rule.clauses[reading]); !ok || !c.Binds(reading) || !strings.HasPrefix(c.ID, d.Prefix) {
					t.Errorf("in %s, %s stands in %q, which is no clause of it", reading, r.Kind, rule.clauses[reading])
				}
			}
		}
	}
	if _, err := rulesOf(context.Background(), nil); err == nil {
		t.Error("a suite that shows no rule is no error")
	}
}

func TestAGuideShowsItsPicture(t *testing.T) {
	t.Parallel()
	const line = `<picture><source media="(prefers-color-scheme: dark)" srcset="b-dark.svg"><img src="b-light.svg" alt="A curve"></picture>`
	if got := guide("docs/dev/b.md", line+"\n"); got != "![A curve](/b-light.svg)\n" {
		t.Errorf("got %q", got)
	}
	if page := pages(t)["docs/dev/best.md"]; !strings.Contains(page, "](/best-light.svg)") {
		t.Error("the page of the search has no picture")
	}
}

func TestLinksOfGuides(t *testing.T) {
	t.Parallel()
	tests := []struct{ reason, file, target, want string }{
		{"a guide beside it", "docs/ci.md", "protocol.md#events", "/docs/protocol#events"},
		{"a heading of its own", "docs/ci.md", "#events", "#events"},
		{"a file without a page", "docs/replay-your-logs.md", "../recordings", repository + "recordings"},
		{"a page for developers", "docs/results.md", "dev/study.md", "/docs/dev/study"},
		{"a file of docs without a page", "docs/ci.md", "implementations/README.md", repository + "docs/implementations/README.md"},
		{"the guide to cases", "docs/test-a-detector.md", "../cases/README.md", "/docs/cases"},
		{"a file of clauses", "docs/protocol.md", "../spec/clauses/history.md", "/spec/history"},
		{"another site", "docs/ci.md", "https://example.org/a.md", "https://example.org/a.md"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			if got := rebase(test.file, test.target); got != test.want {
				t.Errorf("%s of %s leads to %s, want %s", test.target, test.file, got, test.want)
			}
		})
	}
}

// TestHostileTextIsText: what looks like a tag or a template in a text of the suite is neither on a page.
func TestHostileTextIsText(t *testing.T) {
	t.Parallel()
	const hostile = "<script>alert(1)</script>{{ alert(2) }}"
	for name, got := range map[string]string{"prose": prose(hostile), "cell": cell(hostile), "tag": tag(hostile)} {
		if strings.Contains(got, "<s") || strings.Contains(got, "{{") {
			t.Errorf("%s leaves %s", name, got)
		}
	}
	if got := fenced("", "````\na"); !strings.HasPrefix(got, "`````\n") {
		t.Errorf("a fence within ends the block: %s", got)
	}
}

// TestEmphasisIsNoAsterisk: words between asterisks are emphasis, any other asterisk is text.
func TestEmphasisIsNoAsterisk(t *testing.T) {
	t.Parallel()
	tests := []struct{ reason, text, want string }{
		{"two words", "repeated *more often* than", "repeated *more often* than"},
		{"in a product", "2 * 3 * 4", `2 \* 3 \* 4`},
		{"code", "`*a*` and *b*", "`*a*` and *b*"},
		{"a pattern", "*.go and *.js", `\*.go and \*.js`},
	}
	for _, test := range tests {
		if got := prose(test.text); got != test.want {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
	}
}

// TestHomeLeadsOn: the first page installs, shows a loop that the playground opens, and leads to the source.
func TestHomeLeadsOn(t *testing.T) {
	t.Parallel()
	home := pages(t)["index.md"]
	for _, want := range []string{
		install, `<table class="trace">`, "loop: repeat × 3", "(/playground#z=", "(/demo-light.svg)", "(/demo-dark.svg)", "(https://github.com/loopstone/loopstone)",
		"## By question", "## Detectors", "## Profiles",
	} {
		if !strings.Contains(home, want) {
			t.Errorf("the first page lacks %s", want)
		}
	}
}

// TestARowShowsAnEvent as a person reads it.
func TestARowShowsAnEvent(t *testing.T) {
	t.Parallel()
	tests := []struct{ reason, event, want string }{
		{"a call", `{"type":"tool_call","tool":"ls","args":{"path":"a"}}`, `<b>tool_call</b> <code>ls {"path":"a"}</code>`},
		{"a call without arguments", `{"type":"tool_call","tool":"ls"}`, `<b>tool_call</b> <code>ls</code>`},
		{"a call with an id", `{"type":"tool_call","tool":"ls","id":"c1"}`, `<b>tool_call</b> <code>{"tool":"ls","id":"c1"}</code>`},
	}
	for _, test := range tests {
		if got := html.UnescapeString(eventText(spec.MustParse(test.event))); got != test.want {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
	}
}

// TestTemplatesAreEvents: what the playground adds to a trace is taken by the reference.
func TestTemplatesAreEvents(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, event := range eventTypes() {
		text.WriteString(event.Template + "\n")
	}
	if _, err := playground.New(reference.Port()).Load(text.String()); err != nil {
		t.Errorf("%v in\n%s", err, text.String())
	}
}

// TestEachProfileIsShown: every rung of every profile has a trace that the playground opens.
func TestEachProfileIsShown(t *testing.T) {
	t.Parallel()
	profiles, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range profiles {
		page := pages(t)["profile/"+p.Name+".md"]
		rungs := 0
		for _, rule := range p.Rules() {
			rungs += max(1, len(rule.Get("rungs").Items()))
		}
		if shown := strings.Count(page, "(/playground#z="); shown != rungs {
			t.Errorf("the page of @%s shows %d of its %d rungs", p.Name, shown, rungs)
		}
	}
}

// TestClausesHaveAHistory: every page of a clause tells which version has it, or that none has it yet.
func TestClausesHaveAHistory(t *testing.T) {
	t.Parallel()
	for _, c := range spec.Clauses() {
		_, told, _ := strings.Cut(pages(t)["c/"+c.ID+".md"], "## History\n\n")
		if !strings.HasPrefix(told, "Version ") && !strings.HasPrefix(told, "No version has it yet") {
			t.Errorf("the page of %s tells of its history %q", c.ID, told)
		}
	}
}

// TestEveryColumnHasAHead: who hears a table read needs to know what a cell is about.
func TestEveryColumnHasAHead(t *testing.T) {
	t.Parallel()
	tables := regexp.MustCompile(`(?m)^(\|.*\|)\n\|[ :|-]+\|$`)
	found := 0
	for name, text := range pages(t) {
		for _, m := range tables.FindAllStringSubmatch(text, -1) {
			found++
			for head := range strings.SplitSeq(strings.Trim(m[1], "|"), "|") {
				if strings.TrimSpace(head) == "" {
					t.Errorf("%s has a table with a column without a head: %s", name, m[1])
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d tables were found", found)
	}
}
