package projecttests

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/loopstone/loopstone"

// rooms has, for each room, the rooms whose packages its packages may import. A package belongs to the room with the
// longest path that it starts with. What only tests import is not looked at: no program of a user links it.
var rooms = map[string][]string{
	".":                     {},
	"spec":                  {"."},
	"reference":             {"spec"},
	"cases":                 {".", "spec"},
	"docs":                  {"."},
	"recordings":            {},
	"internal/processgroup": {},
	"internal/lists":        {},
	"internal/wording":      {},
	"conformance":           {"spec", "cases", "internal/processgroup"},
	"conformance/known":     {"spec", "cases", "conformance", "internal/suite"},
	"internal/suite":        {".", "spec", "cases", "reference", "conformance"},
	"internal/lab":          {".", "spec", "cases", "reference", "conformance", "internal/suite", "internal/processgroup"},
	"internal/testing":      {".", "spec", "cases", "reference", "conformance"},
	"tools": {
		".", "spec", "cases", "reference", "conformance", "docs", "internal/suite", "internal/lab", "internal/testing",
	},
	"benchmarks": {},
	"cmd/loopstone": {
		"spec", "cases", "reference", "conformance", "docs", "recordings", "internal/suite", "internal/lab", "internal/processgroup",
	},
}

// anywhere are the rooms that every room may import.
var anywhere = []string{"internal/lists", "internal/wording"}

type goPackage struct {
	ImportPath string
	Imports    []string
}

// packages returns the packages of the module in a folder.
func packages(t *testing.T, folder string) []goPackage {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	list.Dir = folder
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list in %s: %v", folder, err)
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
			open := slices.Concat(rooms[roomOf(from)], anywhere)
			wall := roomOf(to) != roomOf(from) && !slices.Contains(open, roomOf(to))
			if ours && wall {
				list = append(list, from+" imports "+to)
			}
		}
	}
	slices.Sort(list)
	return list
}

func TestNoImportGoesThroughTheWalls(t *testing.T) {
	all := slices.Concat(packages(t, root), packages(t, filepath.Join(root, "tools")))
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
		{module + "/reference", []string{module + "/reference/history"}},
		{module + "/reference/history", []string{module + "/conformance"}},
	}
	want := []string{
		"internal/suite/fuzz imports internal/lab/score", "internal/util is in no room of the table",
		"reference/history imports conformance", "spec imports cases",
	}
	if got := breaches(all); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
