package score

import "testing"

// TestSeveritiesAreScoredApart: @cline warns after three equal calls and stops after five. The poll has three.
func TestSeveritiesAreScoredApart(t *testing.T) {
	t.Parallel()
	for severity, want := range map[Severity]struct{ found, alarms, delay int }{
		"":         {1, 1, 0},
		"notice":   {1, 1, 0},
		"warning":  {1, 1, 0},
		"critical": {1, 0, 2},
	} {
		row := scored(t, Choice{Detectors: []string{"@cline"}, Least: severity}, "testdata/own").Rows[0]
		delay, _, _, _ := row.Latency.Median()
		if row.Recall.Part != want.found || row.FalseAlarms.Part != want.alarms || delay != want.delay {
			t.Errorf("%q: %d found, %d false alarms, delay %d; want %v", severity, row.Recall.Part, row.FalseAlarms.Part,
				delay, want)
		}
	}
	plain := scored(t, Choice{Detectors: []string{"history"}, Least: "critical"}, "testdata/own").Rows[0]
	if plain.FalseAlarms.Part != 1 {
		t.Error("a report of history has no severity, and does not count")
	}
	if _, err := ParseSeverity("grave"); err == nil {
		t.Error("grave is a severity")
	}
}
