package pages

import (
	"fmt"

	"github.com/loopstone/loopstone/spec"
)

// Atom is one rule of the space that is searched.
type Atom struct {
	Name string     // in words
	Form string     // a choice has at most one atom of a form
	At   int        // the count at which it reports
	Span int        // how many items it looks back at
	Rule spec.Value // as composed takes it
}

// Config returns the configuration that is these rules.
func Config(atoms ...Atom) spec.Value {
	rules := make([]spec.Value, len(atoms))
	for i, a := range atoms {
		rules[i] = a.Rule
	}
	return spec.ObjectValue(spec.Member{Name: "rules", Value: spec.ArrayValue(rules...)})
}

// What the rules of the space say of tools. No rule names a tool of one agent.
const (
	// Changes are tools that change files, as the agents of the field call them. A successful one may be progress.
	Changes = `["write_file","write_to_file","write","Write","edit_file","edit","Edit","MultiEdit","NotebookEdit","replace",` +
		`"replace_in_file","search_and_replace","insert_content","apply_patch","apply_diff","create_file",` +
		`"str_replace*?command=create","str_replace*?command=str_replace","str_replace*?command=insert"]`

	// waits pass time: an agent that waits for something does nothing between its looks.
	waits = `["*wait*","*sleep*","*pause*","*?command=sleep 1","*?command=sleep 2","*?command=sleep 3",` +
		`"*?command=sleep 5","*?command=sleep 10","*?command=sleep 15","*?command=sleep 20","*?command=sleep 30",` +
		`"*?command=sleep 60"]`

	// scrolls are equal calls that go on.
	scrolls = `["*scroll*","*page*","*poll*","*?command=scroll_down","*?command=scroll_up",` +
		`"*?command=scroll_down\n","*?command=scroll_up\n"]`

	fresh      = `"fresh":["change"],"changes":` + Changes + `,`
	notWaiting = `"tools":{"except":` + waits + `},`
	onlyNew    = `"tools":{"except":` + waits + `,"silent":` + scrolls + `},`
)

// The forms of rules.
const (
	repeated     = "repeated"  // few equal calls with equal results
	revisited    = "revisited" // many calls that were made before, with equal results
	again        = "again"     // many equal calls in a row, whatever they return
	inTurn       = "in-turn"   // a cycle of calls with equal results
	oneTool      = "one-tool"  // calls of one tool with equal results
	failingAlike = "failing"   // one tool that fails as before
	alike        = "alike"     // results that begin alike
)

func atom(form, name, rule string, at, span int) Atom {
	rule = fmt.Sprintf(`{"name":%q,%s"rungs":[{"at":%d}]}`, form, rule, at)
	return Atom{name, form, at, span, spec.MustParse(rule)}
}

// stops returns the rules of the space that may stop an agent.
func stops() (atoms []Atom) {
	for _, n := range [][2]int{{3, 3}, {3, 4}, {3, 5}, {3, 6}, {3, 8}, {4, 6}, {4, 8}, {4, 10}, {5, 10}} {
		atoms = append(atoms, atom(repeated, fmt.Sprintf("%d equal calls with equal results among the last %d", n[0], n[1]),
			fmt.Sprintf(`"same":{"results":"text"},"pattern":{"sort":"among","last":%d},`, n[1])+notWaiting+fresh, n[0], n[1]))
	}
	for _, n := range [][2]int{
		{5, 7}, {5, 8}, {6, 8}, {6, 9}, {6, 10}, {6, 12}, {7, 9}, {7, 10}, {7, 12}, {8, 10}, {8, 12},
	} {
		atoms = append(atoms, revisitsOf(n[0], n[1]))
	}
	for _, at := range []int{8, 10, 12, 16, 20} { // a wait of a few looks, each with a new result, is healthy
		atoms = append(atoms, atom(again, fmt.Sprintf("%d equal calls in a row, whatever they return", at), onlyNew, at, at))
	}
	for _, n := range [][2]int{{2, 4}, {2, 6}, {2, 12}, {3, 4}, {3, 6}, {3, 12}, {4, 6}, {4, 12}} {
		atoms = append(atoms, atom(inTurn, fmt.Sprintf("%d laps of 2 to %d equal calls with equal results", n[0], n[1]),
			fmt.Sprintf(`"same":{"results":"text"},"pattern":{"sort":"cycle","from":2,"to":%d},`, n[1])+notWaiting, n[0], n[0]*n[1]))
	}
	for _, at := range []int{6, 8, 10, 12} {
		atoms = append(atoms, atom(oneTool, fmt.Sprintf("%d calls of one tool in a row with equal results", at),
			`"same":{"by":"tool","results":"text"},`+notWaiting+fresh, at, at))
	}
	return atoms
}

func revisitsOf(at, last int) Atom {
	return atom(revisited, fmt.Sprintf("%d of the last %d calls made before with equal results", at, last),
		fmt.Sprintf(`"same":{"results":"text"},"pattern":{"sort":"revisit","last":%d},`, last)+notWaiting, at, last)
}

// warnings returns the rules of the space that may warn an agent.
func warnings() (atoms []Atom) {
	for _, last := range []int{10, 20, 30} {
		for at := 3; at <= 5; at++ {
			name := fmt.Sprintf("one tool fails %d times with the same text among the last %d calls", at, last)
			atoms = append(atoms, atom(failingAlike, name, fmt.Sprintf(
				`"same":{"by":"tool","results":"text","outcome":"failed"},"pattern":{"sort":"among","last":%d},`,
				last)+fresh, at, last))
		}
	}
	for _, prefix := range []int{40, 100, 200} {
		for _, at := range []int{6, 9, 12} {
			name := fmt.Sprintf("%d calls of one tool in a row whose results begin with the same %d characters", at, prefix)
			atoms = append(atoms, atom(alike, name,
				fmt.Sprintf(`"same":{"by":"tool","results":"text","prefix":%d},`, prefix)+notWaiting+fresh, at, at))
		}
	}
	for _, n := range [][2]int{{3, 9}, {4, 9}, {5, 9}, {4, 12}} {
		atoms = append(atoms, revisitsOf(n[0], n[1]))
	}
	return atoms
}
