package main

import "testing"

func TestAFileThatIsOutOfDate(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := write(folder, "page.md", []byte("as it was")); err != nil {
		t.Fatal(err)
	}
	if err := compare(folder, "page.md", []byte("as it was")); err != nil {
		t.Error(err)
	}
	if err := compare(folder, "page.md", []byte("as it is")); err == nil || err.Error() != "page.md is not up to date; run: make mutation" {
		t.Errorf("got %v, want a problem", err)
	}
	if err := compare(folder, "no.md", nil); err == nil {
		t.Error("a file that is missing is no problem")
	}
}
