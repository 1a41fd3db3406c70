package memory_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

func TestWindowHoldsTheLatestItems(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 2, 7} {
		w := memory.NewWindow[int](size)
		var all []int
		for i := range 50 {
			all = append(all, i)
			w.Add(i)
			if want := all[max(0, len(all)-size):]; !slices.Equal(w.Items(), want) {
				t.Fatalf("size %d: got %v, want %v", size, w.Items(), want)
			}
		}
	}
}

// A window as large as a configuration allows costs what it holds.
func TestWindowGrowsAsItemsCome(t *testing.T) { // not parallel: it counts allocations
	w := memory.NewWindow[int](spec.MaxSetting)
	if n := testing.AllocsPerRun(1, func() { w.Add(1) }); n > 1 || cap(w.Items()) > 16 {
		t.Errorf("%v allocations, room for %d items", n, cap(w.Items()))
	}
}

func TestRunKeepsTheLatestForEvidence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		streak        memory.Streak
		events        int
		length, first int
		reason        string
	}{
		{memory.Streak{}, 3, 3, 0, "all are evidence"},
		{memory.Streak{}, 250, 250, 250 - spec.MaxEvidence, "more are counted than named"},
		{memory.NewStreak(5), 9, 5, 4, "a streak never grows beyond its limit"},
	}
	for _, tt := range tests {
		for i := range tt.events {
			tt.streak.Add(i)
		}
		evidence := tt.streak.Evidence()
		if tt.streak.Len() != tt.length || evidence[0] != tt.first || evidence[len(evidence)-1] != tt.events-1 {
			t.Errorf("%s: length %d, evidence %v", tt.reason, tt.streak.Len(), evidence)
		}
		tt.streak.Add(tt.events)
		if evidence[len(evidence)-1] != tt.events-1 {
			t.Errorf("%s: a later event changed evidence that was given out", tt.reason)
		}
		if tt.streak.Reset(); tt.streak.Len() != 0 || tt.streak.Evidence() != nil {
			t.Errorf("%s: after a reset, length %d, evidence %v", tt.reason, tt.streak.Len(), tt.streak.Evidence())
		}
	}
}

func TestEvidenceNamesOnlyWhatIsKnown(t *testing.T) {
	t.Parallel()
	var counted, many []memory.Index
	for i := range 3 {
		counted = append(counted, memory.IndexOf(spec.Event{Index: i}))
	}
	for i := range 2 * spec.MaxEvidence {
		many = append(many, memory.IndexOf(spec.Event{Index: i}))
	}
	restored := make([]memory.Index, 2)
	if diff := cmp.Diff([]int{0, 1, 2}, memory.Evidence(slices.Concat(restored, counted))); diff != "" {
		t.Error(diff)
	}
	if got := memory.Evidence(restored); got != nil {
		t.Errorf("only restored: %v", got)
	}
	if got := memory.Evidence(many); len(got) != spec.MaxEvidence || got[0] != spec.MaxEvidence {
		t.Errorf("many: %v", got)
	}
}

// remembered has each part that a memory can have.
type remembered struct {
	Tools  memory.Window[tool] `json:"tools"`
	Failed memory.Streak       `json:"failed"`
	Total  memory.Count        `json:"total"`
	Last   string              `json:"last"`
}

type tool struct {
	Name  string `json:"name"`
	index memory.Index
}

func open() *memory.Detector[remembered] {
	fresh := func() remembered {
		return remembered{Tools: memory.NewWindow[tool](2), Failed: memory.NewStreak(3)}
	}
	return memory.NewDetector(fresh, func(m *remembered, e spec.Event) spec.Verdict {
		m.Tools.Add(tool{e.Tool, memory.IndexOf(e)})
		m.Total.Add()
		m.Failed.Add(e.Index)
		m.Last = e.Tool
		var indices []memory.Index
		for _, tool := range m.Tools.Items() {
			indices = append(indices, tool.index)
		}
		return spec.Verdict{Count: m.Failed.Len(), Workers: int(m.Total), Tool: m.Last, Evidence: memory.Evidence(indices)}
	})
}

func TestRestoredGoesOn(t *testing.T) {
	t.Parallel()
	original, restored := open(), open()
	for i, name := range []string{"a", "<b>", "c", "\u2028"} {
		original.Observe(spec.Event{Tool: name, Index: i})
	}
	want := `{"tools":[{"name":"c"},{"name":"\u2028"}],"failed":3,"total":4,"last":"\u2028"}`
	if got := original.Snapshot(); !got.Equal(spec.MustParse(want)) {
		t.Fatalf("snapshot %s, want %s", got, want)
	}
	if err := restored.Restore(original.Snapshot()); err != nil {
		t.Fatal(err)
	}
	next := spec.Event{Tool: "d", Index: 4}
	a, b := original.Observe(next), restored.Observe(next)
	if a.Evidence = []int{4}; cmp.Diff(a, b) != "" {
		t.Errorf("-original +restored\n%s", cmp.Diff(a, b))
	}
	empty := open().Snapshot()
	if restored.Reset(); !restored.Snapshot().Equal(empty) {
		t.Errorf("after a reset: %s, want %s", restored.Snapshot(), empty)
	}
}

func TestRestoreNamesTheFirstDifference(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ state, want string }{
		{`{"last":"a","tools":[{"name":"a"},{"name":"b"}],"failed":2,"total":9007199254740991}`, ""},
		{`[]`, "state: no snapshot has [] there"},
		{`{}`, "state/tools is missing"},
		{`{"tools":[],"failed":0,"total":0}`, "state/last is missing"},
		{`{"tools":[],"failed":4,"total":0,"last":""}`, "state/failed: no snapshot has 4 there"},
		{`{"tools":[],"failed":"1","total":0,"last":""}`, `state/failed: no snapshot has "1" there`},
		{`{"tools":[],"failed":0,"total":9007199254740992,"last":""}`, "state/total: no snapshot has 9007199254740992 there"},
		{`{"tools":[],"failed":0,"total":-1,"last":""}`, "state/total: no snapshot has -1 there"},
		{`{"tools":[],"failed":0,"total":1.5,"last":""}`, "state/total: no snapshot has 1.5 there"},
		{`{"tools":[],"failed":0,"total":0,"last":null}`, "state/last: no snapshot has null there"},
		{`{"tools":{},"failed":0,"total":0,"last":""}`, "state/tools: no snapshot has {} there"},
		{`{"tools":[{"name":7}],"failed":0,"total":0,"last":""}`, "state/tools/0/name: no snapshot has 7 there"},
		{`{"tools":[{"Name":"a"}],"failed":0,"total":0,"last":""}`, `state/tools/0/Name: no snapshot has "a" there`},
		{`{"tools":[{"name":"a","index":1}],"failed":0,"total":0,"last":""}`, "state/tools/0/index: no snapshot has 1 there"},
		{
			`{"tools":[{"name":"a"},{"name":"b"},{"name":"c"}],"failed":0,"total":0,"last":""}`,
			"state/tools: 3 items, a snapshot has 2",
		},
	} {
		d := open()
		d.Observe(spec.Event{Tool: "before"})
		before, got := d.Snapshot(), ""
		if err := d.Restore(spec.MustParse(test.state)); err != nil {
			got = err.(*spec.Fault).Message
		} else {
			before = spec.MustParse(test.state)
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.state, got, test.want)
		}
		if after := d.Snapshot(); !after.Equal(before) {
			t.Errorf("%s: the state is %s, want %s", test.state, after, before)
		}
	}
}
