package cases

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Selection says which cases of a suite are wanted. The members narrow one another; within one, any pattern will do.
// Patterns are those of [path.Match]: * stands for any characters. The cases of the protocol have no reading, so that
// no choice of readings leaves them out.
type Selection struct {
	Cases     []string `json:"cases,omitempty"`
	Detectors []string `json:"detectors,omitempty"`
	Readings  []string `json:"readings,omitempty"`
	Clauses   []string `json:"clauses,omitempty"`
	Tags      []string `json:"tags,omitempty"`
}

// IsAll reports whether nothing is narrowed.
func (s Selection) IsAll() bool {
	return len(s.Cases)+len(s.Detectors)+len(s.Readings)+len(s.Clauses)+len(s.Tags) == 0
}

// filter is one member of a selection: its flag, its patterns, and what they are matched with.
type filter struct {
	name     string
	patterns []string
	words    func(Case) []string
}

func (s Selection) filters() []filter {
	return []filter{
		{"case", s.Cases, func(c Case) []string { return []string{c.ID} }},
		{"detector", s.Detectors, func(c Case) []string { return []string{string(c.Detector)} }},
		{"reading", s.Readings, func(c Case) []string { return lists.Strings(c.Readings) }},
		{"clause", s.Clauses, func(c Case) []string { return c.Clauses }},
		{"tag", s.Tags, func(c Case) []string { return c.Tags }},
	}
}

// concerns reports whether the filter says anything about a case.
func (f filter) concerns(c Case) bool {
	return len(f.patterns) > 0 && (f.name != "reading" || c.Detector != Protocol)
}

// Select returns the cases that are wanted, in their order; of their readings only those that are wanted. A pattern
// that is malformed or matches nothing in the whole suite is an error, and so is a selection that leaves no case.
func (s Selection) Select(suite []Case) ([]Case, error) {
	if s.IsAll() && len(suite) > 0 {
		return slices.Clip(suite), nil
	}
	for _, f := range s.filters() {
		for _, pattern := range f.patterns {
			if err := matchesSomething(f, pattern, suite); err != nil {
				return nil, err
			}
		}
	}
	var selected []Case
	for _, c := range suite {
		if s.wants(c) {
			c.Readings = s.readingsOf(c)
			selected = append(selected, c)
		}
	}
	if len(selected) == 0 {
		return nil, fmt.Errorf("the patterns match some cases each, but none of them together")
	}
	return selected, nil
}

func matchesSomething(f filter, pattern string, suite []Case) error {
	for _, c := range suite {
		ok, err := matchesAny([]string{pattern}, f.words(c))
		if err != nil {
			return fmt.Errorf("--%s %q: %w", f.name, pattern, err)
		}
		if ok {
			return nil
		}
	}
	return fmt.Errorf("--%s %q matches nothing%s", f.name, pattern, f.meant(pattern, suite))
}

// meant returns which word of the suite a pattern was mistyped for, or a wider pattern that matches; if there are few
// words, all of them.
func (f filter) meant(pattern string, suite []Case) string {
	if len(pattern) > longestMeant {
		return ""
	}
	var all []string
	for _, c := range suite {
		all = append(all, f.words(c)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	hasIDs := f.name == "case" || f.name == "clause"
	name, ok := nearest(pattern, all)
	if !ok && hasIDs {
		name, ok = wider(strings.Trim(pattern, "*"), all)
	}
	switch {
	case f.name == "clause" && meantClause(pattern) != "":
		return meantClause(pattern)
	case ok:
		return fmt.Sprintf("; did you mean %q?", name)
	case len(all) <= mostNames:
		return "; there are " + wording.Join(all, ", ")
	case hasIDs:
		return fmt.Sprintf("; loopstone list %ss prints the ids", f.name)
	}
	return ""
}

// longestMeant bounds the patterns that are compared with all words, in bytes: a longer one is no id.
const longestMeant = 200

// nearest returns the word that was mistyped. A pattern that ends with * is compared with the beginnings of words.
func nearest(pattern string, all []string) (string, bool) {
	begins, open := strings.CutSuffix(pattern, "*")
	length := len([]rune(begins))
	name, ok := wording.Nearest(begins, lists.Map(all, func(word string) string { return beginning(word, length, open) }))
	if open {
		name += "*"
	}
	return name, ok
}

// wider returns a pattern for words that begin with what was typed, that contain it, or that begin nearly so.
func wider(typed string, all []string) (string, bool) {
	for _, pattern := range []string{typed + "*", "*" + typed + "*"} {
		if slices.ContainsFunc(all, func(word string) bool { ok, _ := path.Match(pattern, word); return ok }) {
			return pattern, true
		}
	}
	return nearest(typed+"*", all)
}

// mostNames is how many names still make a line that is read.
const mostNames = 12

// meantClause says which clause was meant. Clauses are numbers, all of which are near one another: of those of one
// detector the last is named.
func meantClause(pattern string) string {
	if _, is := spec.ClauseByID(pattern); is {
		return "; no case cites it"
	}
	if last, ok := spec.LastClause(pattern); ok {
		return "; the last clause of those is " + last.ID
	}
	return ""
}

// beginning returns as much of a word as a pattern that ends with * says of it; all of it for another pattern.
func beginning(word string, length int, open bool) string {
	if runes := []rune(word); open && len(runes) > length {
		return string(runes[:length])
	}
	return word
}

func matchesAny(patterns, words []string) (bool, error) {
	for _, p := range patterns {
		for _, w := range words {
			ok, err := path.Match(p, w)
			if err != nil || ok {
				return ok, err
			}
		}
	}
	return false, nil
}

func (s Selection) wants(c Case) bool {
	for _, f := range s.filters() {
		ok, err := matchesAny(f.patterns, f.words(c))
		if f.concerns(c) && (err != nil || !ok) {
			return false
		}
	}
	return true
}

func (s Selection) readingsOf(c Case) []spec.Reading {
	if len(s.Readings) == 0 {
		return c.Readings
	}
	return slices.DeleteFunc(slices.Clone(c.Readings), func(r spec.Reading) bool {
		ok, err := matchesAny(s.Readings, []string{string(r)})
		return err != nil || !ok
	})
}

// Shard is one of several equal parts of a suite, so that several machines share a run. The zero Shard is all of it.
type Shard struct {
	Index, Of int // Index counts from 1
}

// ParseShard reads "2/5".
func ParseShard(text string) (Shard, error) {
	var s Shard
	var rest string
	n, _ := fmt.Sscanf(text+" ", "%d/%d%s", &s.Index, &s.Of, &rest) // its error says less than ours
	if n != 2 || s.Of < 1 || s.Index < 1 || s.Index > s.Of {
		return Shard{}, fmt.Errorf("the shard %q: want i/n with i from 1 to n", text)
	}
	return s, nil
}

// Take returns the cases of the shard. The parts of one suite with the same n overlap nowhere and leave nothing out.
// A part without cases is an error.
func (s Shard) Take(suite []Case) ([]Case, error) {
	if s.Of == 0 {
		return suite, nil
	}
	var part []Case
	for i := s.Index - 1; i < len(suite); i += s.Of {
		part = append(part, suite[i])
	}
	if len(part) == 0 {
		return nil, fmt.Errorf("the shard %d/%d of %d cases is empty", s.Index, s.Of, len(suite))
	}
	return part, nil
}
