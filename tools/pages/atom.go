package pages

import (
	"fmt"

	"github.com/loopstone/loopstone/spec"
)

// Atom is one rule of the space that is searched.
type Atom struct {
	Name string     // in words
	At   int        // the count at which it speaks
	Span int        // how far back it looks: the longest period, the window, or 1 for a run
	Rule spec.Value // as composed takes it
}

// Config returns the configuration that is this rule alone.
func (a Atom) Config() spec.Value {
	return spec.ObjectValue(spec.Member{Name: "rules", Value: spec.ArrayValue(a.Rule)})
}

// The identities of the space. A thought is never a part of one, for agents word it anew each time; nor is whether a
// call failed, of which the labelled runs say nothing.
var identities = []struct{ name, same string }{
	{"equal calls with equal results", `{"results":"text"}`},
	{"equal calls", `{}`},
	{"calls of one tool with equal results", `{"by":"tool","results":"text"}`},
}

// Changes are tools that change files, as the agents of the field call them. A successful one may be progress.
const Changes = `["write_file","write_to_file","write","Write","edit_file","edit","Edit","MultiEdit","NotebookEdit","replace",` +
	`"replace_in_file","search_and_replace","insert_content","apply_patch","apply_diff","create_file",` +
	`"str_replace*?command=create","str_replace*?command=str_replace","str_replace*?command=insert"]`

// space collects atoms.
type space struct {
	atoms        []Atom
	name, same   string // of the identity
	between, new string // of what starts afresh, in words and as members of a rule
}

// allAtoms returns the space: each identity in each pattern with each of a few numbers. But for the tools that change
// files, nothing in it names a tool, so that no rule can be made for one agent.
func allAtoms() []Atom {
	s := &space{}
	for _, id := range identities {
		s.name, s.same, s.between, s.new = id.name, id.same, "", ""
		s.addRuns()
		s.addWindows()
		s.between, s.new = ", no file being changed between", `,"fresh":["change"],"changes":`+Changes
		s.addWindows()
	}
	return s.atoms
}

func (s *space) add(what, pattern string, at, span int) {
	rule := fmt.Sprintf(`{"same":%s,"pattern":%s,"rungs":[{"at":%d}]%s}`, s.same, pattern, at, s.new)
	s.atoms = append(s.atoms, Atom{what + " of " + s.name + s.between, at, span, spec.MustParse(rule)})
}

// addRuns adds the patterns of items that follow one another.
func (s *space) addRuns() {
	for at := 3; at <= 8; at++ {
		s.add(fmt.Sprintf("a run of %d", at), `{"sort":"run"}`, at, 1)
	}
	for at := 2; at <= 5; at++ {
		for _, to := range []int{2, 4, 6} {
			s.add(fmt.Sprintf("%d laps of 2 to %d", at, to), fmt.Sprintf(`{"sort":"cycle","from":2,"to":%d}`, to), at, to)
		}
	}
}

// addWindows adds the patterns of items that others may stand between.
func (s *space) addWindows() {
	for _, last := range []int{10, 20, 30} {
		for at := 3; at <= 8; at++ {
			s.add(fmt.Sprintf("%d among the last %d", at, last), fmt.Sprintf(`{"sort":"among","last":%d}`, last), at, last)
		}
	}
}
