package strictyaml

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Place is a position in a file; lines and columns count from 1.
type Place struct {
	File         string
	Line, Column int
}

// String returns file:line:column.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Problemf returns a Problem at the place.
func (p Place) Problemf(format string, args ...any) error {
	return &Problem{p, fmt.Sprintf(format, args...)}
}

// Problem is something wrong at a place.
type Problem struct {
	Place
	Message string
}

// Error returns the place and the message in one line.
func (p *Problem) Error() string { return p.Place.String() + ": " + p.Message }

// Node is one value of a document, with its place. Its scalars, items and pairs have JSON types.
type Node struct {
	Place
	Kind  spec.Kind
	Text  string // of a string or number; "true" or "false"
	Items []*Node
	Pairs []Pair
}

// Pair is one name and value of a mapping, in the order of the file.
type Pair struct {
	Name  string
	Place Place // of the name
	Value *Node
}

// Value returns the node as a JSON value: numbers keep their spelling, members their order.
func (n *Node) Value() spec.Value {
	switch n.Kind {
	case spec.Bool:
		return spec.BoolValue(n.Text == "true")
	case spec.Number:
		return spec.NumberValue(n.Text)
	case spec.String:
		return spec.StringValue(n.Text)
	case spec.Array:
		return spec.ArrayValue(lists.Map(n.Items, (*Node).Value)...)
	case spec.Object:
		return spec.ObjectValue(lists.Map(n.Pairs, func(p Pair) spec.Member {
			return spec.Member{Name: p.Name, Value: p.Value.Value()}
		})...)
	default:
		return spec.NullValue()
	}
}

// Get returns the value of this name, nil if there is none.
func (n *Node) Get(name string) *Node {
	pair, _ := lists.Find(n.Pairs, func(p Pair) bool { return p.Name == name })
	return pair.Value
}

// Count returns how many of the names the mapping has.
func (n *Node) Count(names ...string) int {
	return lists.Count(names, func(name string) bool { return n.Get(name) != nil })
}

// Reader reads the value of one member.
type Reader func(*Node) error

// Read reads a mapping member by member. A member that has no Reader and a required one that is missing are problems;
// all of them are returned, joined, and each in one line.
func (n *Node) Read(readers map[string]Reader, required ...string) error {
	if n.Kind != spec.Object {
		return n.Problemf("want a mapping, got %s", n.Kind)
	}
	var problems []error
	for _, p := range n.Pairs {
		read, known := readers[p.Name]
		if !known {
			problems = append(problems,
				p.Place.Problemf("unknown member %q; %s", p.Name, wording.Hint(p.Name, slices.Sorted(maps.Keys(readers)))))
			continue
		}
		problems = append(problems, read(p.Value))
	}
	for _, name := range required {
		if n.Get(name) == nil {
			problems = append(problems, n.Problemf("member %q is missing", name))
		}
	}
	return errors.Join(problems...)
}

// Str returns the Reader of a text that is not empty.
func Str[T ~string](into *T) Reader {
	return func(n *Node) error {
		if n.Kind != spec.String || n.Text == "" {
			return n.Problemf("want a text that is not empty, got %s", n.Kind)
		}
		*into = T(n.Text)
		return nil
	}
}

// Strs returns the Reader of a list of texts, none empty and none twice.
func Strs[T ~string](into *[]T) Reader {
	return func(n *Node) error {
		if n.Kind != spec.Array || len(n.Items) == 0 {
			return n.Problemf("want a list of texts that is not empty, got %s", n.Kind)
		}
		seen := map[string]bool{}
		for _, item := range n.Items {
			var text T
			if err := Str(&text)(item); err != nil {
				return err
			}
			if seen[string(text)] {
				return item.Problemf("%q is twice in the list", text)
			}
			seen[string(text)] = true
			*into = append(*into, text)
		}
		return nil
	}
}

// Bool returns the Reader of true or false.
func Bool(into *bool) Reader {
	return func(n *Node) error {
		if n.Kind != spec.Bool {
			return n.Problemf("want true or false, got %s", n.Kind)
		}
		*into = n.Text == "true"
		return nil
	}
}

// Int returns the Reader of an integer that is not below least.
func Int(least int, into *int) Reader {
	return func(n *Node) error {
		number, ok := n.Value().Int()
		if !ok || number < least {
			return n.Problemf("want an integer of at least %d, got %s", least, n.Value())
		}
		*into = number
		return nil
	}
}

// By returns the Reader of a value that a function reads.
func By[T any](into *T, read func(*Node) (T, error)) Reader {
	return func(n *Node) (err error) {
		*into, err = read(n)
		return err
	}
}

// Each returns the Reader of a list that is not empty. All that is wrong with any item is returned, joined.
func Each[T any](into *[]T, read func(*Node) (T, error)) Reader {
	return func(n *Node) error {
		if n.Kind != spec.Array || len(n.Items) == 0 {
			return n.Problemf("want a list that is not empty, got %s", n.Kind)
		}
		var problems []error
		for _, item := range n.Items {
			one, err := read(item)
			*into, problems = append(*into, one), append(problems, err)
		}
		return errors.Join(problems...)
	}
}

// Any returns the Reader of any value.
func Any(into *spec.Value) Reader {
	return By(into, func(n *Node) (spec.Value, error) { return n.Value(), nil })
}

// Mapping returns the Reader of a value that must be a mapping.
func Mapping(into *spec.Value) Reader {
	return func(n *Node) error {
		if n.Kind != spec.Object {
			return n.Problemf("want a mapping, got %s", n.Kind)
		}
		*into = n.Value()
		return nil
	}
}
