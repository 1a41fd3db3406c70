package source

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/loopstone/loopstone"

// rooms has, for each room, the rooms whose packages its packages may import. A package belongs to the room with the
// longest path that it starts with. What only tests import is not looked at: no program of a user links it.
var rooms = map[string][]string{
	".":              {},
	"spec":           {"."},
	"reference":      {"spec"},
	"cases":          {".", "spec"},
	"docs":           {"."},
	"recordings":     {},
	"conformance":    {"spec", "cases"},
	"internal/suite": {".", "spec", "cases", "reference", "conformance"},
	"internal/lab":   {".", "spec", "cases", "reference", "conformance", "internal/suite"},
	"internal/site":  {".", "spec", "cases", "reference", "conformance", "docs", "internal/suite", "internal/lab"},
	"internal/guard": {
		".", "spec", "cases", "reference", "conformance", "docs", "internal/suite", "internal/lab", "internal/site",
	},
	"benchmarks":    {},
	"cmd/loopstone": {"spec", "cases", "reference", "conformance", "docs", "internal/suite", "internal/lab"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// inModule returns a package's path below the module, "." for its root.
func inModule(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// roomOf returns the room that a package belongs to, "" where the table has none for it.
func roomOf(path string) string {
	room := ""
	for r := range rooms {
		if (path == r || r != "." && strings.HasPrefix(path, r+"/")) && len(r) > len(room) {
			room = r
		}
	}
	return room
}

// breaches returns the imports that the table does not allow.
func breaches(all []goPackage) []string {
	var list []string
	for _, p := range all {
		from, _ := inModule(p.ImportPath)
		if roomOf(from) == "" {
			list = append(list, from+" is in no room of the table")
			continue
		}
		for _, i := range p.Imports {
			to, ours := inModule(i)
			wall := roomOf(to) != roomOf(from) && !slices.Contains(rooms[roomOf(from)], roomOf(to))
			if ours && (wall || hasRules(from) && strings.HasPrefix(to, "reference/fast/")) {
				list = append(list, from+" imports "+to)
			}
		}
	}
	slices.Sort(list)
	return list
}

// hasRules reports whether a package has a detector's rules. They are read alone: their fast twin imports them.
func hasRules(at string) bool { return path.Dir(at) == "reference" }

func TestNoImportGoesThroughTheWalls(t *testing.T) {
	all := packages(t)
	if len(all) < 30 {
		t.Fatalf("go list names %d packages", len(all))
	}
	for _, b := range breaches(all) {
		t.Error(b)
	}
}

func TestAnImportThroughAWallIsFound(t *testing.T) {
	all := []goPackage{
		{module + "/spec", []string{"fmt", module + "/cases"}},
		{module + "/internal/suite/fuzz", []string{module + "/internal/lab/score", module + "/conformance/stdio"}},
		{module + "/internal/util", nil},
		{module + "/reference", []string{module + "/reference/fast/history"}},
		{module + "/reference/history", []string{module + "/reference/fast/history"}},
	}
	want := []string{
		"internal/suite/fuzz imports internal/lab/score", "internal/util is in no room of the table",
		"reference/history imports reference/fast/history", "spec imports cases",
	}
	if got := breaches(all); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
