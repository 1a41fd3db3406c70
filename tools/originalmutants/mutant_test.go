package main

import (
	"slices"
	"strings"
	"testing"
)

// changes returns the changes of all lines, as "old -> new".
func changes(s syntax, text string) []string {
	var list []string
	for _, m := range mutants(s, text, []span{{1, 1000}}) {
		list = append(list, m.Old+" -> "+m.New)
	}
	return list
}

func TestMutantsOfEachSort(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason string
		syntax syntax
		text   string
		want   []string
	}{
		{"a comparison has its limit moved, and is turned", typescript, "let x = a < b", []string{"< -> <=", "< -> >"}},
		{"a type is no comparison", typescript, "let x = new Map<string>()", nil},
		{"a number is one more and one less", typescript, "let x = 5", []string{"5 -> 6", "5 -> 4"}},
		{"nothing is less than nothing", python, "f(0)\n", []string{"f(0) -> pass", "0 -> 1"}},
		{"a comment is left alone", typescript, "// 5 && 6\n/* 7 */", nil},
		{"so is a text", python, "x = 'and 5'\n", []string{"x = 'and 5' -> pass"}},
		{"a value in a text is left out", typescript, "let x = `${a}:${b}`", []string{"${a} -> ", "${b} -> "}},
		{"a sign before a value is left out", typescript, "let x = -k", []string{"- -> "}},
		{
			"a condition holds always, never, and where it does not", typescript, "if (a) {}",
			[]string{"a -> true", "a -> false", "a -> !(a)"},
		},
		{
			"in Python, too", python, "if a:\n  f()\n",
			[]string{"a -> True", "a -> False", "a -> not (a)", "f() -> pass"},
		},
		{"an if in an expression is none", python, "x = 'a' if b else c\n", []string{"x = 'a' if b else c -> pass"}},
		{"a loop that never ends is not made", typescript, "while (a) {}", []string{"a -> false", "a -> !(a)"}},
		{"a statement is left out, with all of its lines", python, "f(\n  a,\n)\nx\n", []string{"f(\n  a,\n) -> pass", "x -> pass"}},
		{"a line is one without semicolons", typescript, "if (a) {\n  f(\n    b)\n}", []string{
			"a -> true", "a -> false", "a -> !(a)", "f(\n    b) -> ",
		}},
		{"a declaration is not", typescript, "const a = b;\nf(a);", []string{"f(a); -> "}},
		{
			"operands that have a line each", typescript, "x =\n  a ||\n  b;\n",
			[]string{"x =\n  a ||\n  b; -> ", "  a || -> ", "|| -> &&"},
		},
		{
			"a regular expression loses a part", typescript, `let x = /^(a|b)+[*]$/g`,
			[]string{"^ -> ", "|b -> ", "+ -> ", "$ -> ", "g -> "},
		},
		{"not is left out", python, "x = not a\n", []string{"x = not a -> pass", "not  -> "}},
	} {
		if got := changes(test.syntax, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestAMutantIsOneChange(t *testing.T) {
	t.Parallel()
	const text = "function f(a) {\n  if (a > 5 && a !== 7) {\n    return `${a}`;\n  }\n}\n"
	list := mutants(typescript, text, []span{{2, 2}})
	if len(list) < 8 {
		t.Fatalf("got %d mutants, want those of the second line", len(list))
	}
	for _, m := range list {
		if got := m.in(text); got == text || m.Line != 2 || !strings.HasPrefix(got, "function f(a) {\n") {
			t.Errorf("%s: got %q", m, got)
		}
	}
}
