package crow

import "github.com/loopstone/loopstone/spec"

// text reads a string among the arguments of a function into a variable, which keeps its value where the argument is
// absent. The error is a [*spec.Fault] of kind [spec.InvalidParams].
func text(args spec.Value, name string, into *string) error {
	v := args.Get(name)
	if v.IsAbsent() {
		return nil
	}
	s, ok := v.Str()
	if !ok {
		return spec.BadParams("%s: want a string, got %s", name, v)
	}
	*into = s
	return nil
}

// count reads an integer of at least 0 among the arguments of a function, as text does.
func count(args spec.Value, name string, into *int) error {
	v := args.Get(name)
	if v.IsAbsent() {
		return nil
	}
	n, ok := v.Int()
	if !ok || n < 0 {
		return spec.BadParams("%s: want an integer of at least 0, got %s", name, v)
	}
	*into = n
	return nil
}
