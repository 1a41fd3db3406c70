package pages

import "testing"

func TestWhatOftenChangesIsTakenOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ a, b string }{
		{"ran 3 tests in 0.12s", "ran 3 tests in 11.9s"},
		{"wrote /tmp/x1/a.log", "wrote /tmp/y-2.c"},
		{"object at 0x7fa3", "object at 0x1"},
		{"commit 1a2b3c4d5e", "commit 99aa77bb66"},
		{"2026-11-27 13:00:01 up", "2026-01-02 03:04:05 up"},
	} {
		if normalised(tt.a) != normalised(tt.b) {
			t.Errorf("%q becomes %q, and %q %q", tt.a, normalised(tt.a), tt.b, normalised(tt.b))
		}
	}
	if normalised("failed: a.go") == normalised("failed: b.go") {
		t.Error("another file is the same")
	}
}
