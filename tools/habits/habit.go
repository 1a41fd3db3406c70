// Package habits plants in the ports the faults that people who port a detector make by habit, and lets the cases
// judge them. A habit is what a language, or its usual libraries, does where a clause says otherwise: letters are
// folded by Unicode, a default argument is shared, a window holds one more. The table habits.yaml has each habit with
// its places in the ports; the test in this package plants all of them.
//
// Package mutation breaks the reference, a line at a time. Here it is ports that are broken, each through its adapter,
// and not by small changes alone.
package habits

import (
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// habit is one mistake, with the places at which it is planted.
type habit struct {
	name   string
	faults []fault
}

// fault is a habit at one place of a port.
type fault struct {
	habit    string
	file     string // below conformance/adapters
	language language
	detector spec.DetectorID
	clauses  []string // that it breaks; the first failure shown must name one of them
	old      string   // stands once in the file
	new      string
	survives string // why no case can notice it; empty where one must
	place    strictyaml.Place
}

// readHabits reads the table. The name is used for places only; the error has every problem, one a line.
func readHabits(name string, text []byte) ([]habit, error) {
	doc, err := strictyaml.Parse(name, text)
	if err != nil {
		return nil, err
	}
	var list []habit
	err = doc.Read(map[string]strictyaml.Reader{"habits": strictyaml.Each(&list, readHabit)}, "habits")
	return list, err
}

func readHabit(n *strictyaml.Node) (habit, error) {
	var h habit
	err := n.Read(map[string]strictyaml.Reader{
		"habit": strictyaml.Str(&h.name), "faults": strictyaml.Each(&h.faults, readFault),
	}, "habit", "faults")
	for i := range h.faults {
		h.faults[i].habit = h.name
	}
	return h, err
}

func readFault(n *strictyaml.Node) (fault, error) {
	f := fault{place: n.Place}
	err := n.Read(map[string]strictyaml.Reader{
		"in": strictyaml.Str(&f.file), "detector": strictyaml.Str(&f.detector), "clauses": strictyaml.Strs(&f.clauses),
		"old": strictyaml.Str(&f.old), "new": strictyaml.Str(&f.new), "survives": strictyaml.Str(&f.survives),
	}, "in", "detector", "clauses", "old", "new")
	language, known := languageOf(f.file)
	if err == nil && !known {
		err = n.Problemf("in: there is no port in %s", f.file)
	}
	f.language = language
	return f, err
}
