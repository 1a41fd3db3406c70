package plant

import (
	"go/ast"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// compilers are the functions that take a regular expression. That of jstext matches letters in upper and lower case.
const (
	ofGo         = "regexp.MustCompile"
	ofJavaScript = "jstext.Pattern"
)

// never is a regular expression that matches nothing. What it is put before keeps its groups.
const never = `[^\x{0}-\x{10FFFF}]`

// pattern notes the mutants of a regular expression: each alternative and each optional part left out, each class of
// characters narrowed, each word matched in lower case alone, or with its first letter alone in either case.
func (f *finder) pattern(n ast.Expr, value string, letters bool) {
	for _, v := range variantsOf(value, letters) {
		f.replace(n, strconv.Quote(v.text))
		s := f.sites[span{f.offset(n.Pos()), f.offset(n.End())}]
		s.changes[len(s.changes)-1].mutant.Change = oneLine(v.was) + " → " + oneLine(v.is)
	}
}

// variant is a regular expression with one change.
type variant struct{ text, was, is string }

// atom is a part of a regular expression that matches by itself: a character, a class of characters or a group.
type atom struct {
	from, to     int
	alternatives []alternative // of a group, or of the whole
	optional     bool          // a ? stands behind it
}

type alternative struct{ from, to int }

// variantsOf returns the variants of a regular expression; letters says whether it has words in either case.
func variantsOf(text string, letters bool) (list []variant) {
	put := func(from, to int, is string) {
		list = append(list, variant{text[:from] + is + text[to:], text[from:to], is})
	}
	atoms := atomsOf(text)
	for _, a := range atoms {
		if len(a.alternatives) > 1 {
			for _, one := range a.alternatives {
				put(one.from, one.to, never+text[one.from:one.to])
			}
		}
		code := text[a.from:a.to]
		if a.optional {
			put(a.from, a.to+1, "(?:"+never+code+")?")
			put(a.from, a.to+1, code)
		}
		if a.alternatives == nil {
			for _, is := range narrowed(code, letters) {
				put(a.from, a.to, is)
			}
		}
	}
	if letters {
		for _, w := range wordsOf(text, atoms) {
			put(w.from, w.to, inLowerCase(text[w.from:w.to]))
			if rest := inLowerCase(text[w.from+1 : w.to]); rest != text[w.from+1:w.to] {
				put(w.from, w.to, text[w.from:w.from+1]+rest)
			}
		}
	}
	return list
}

// atomsOf returns the atoms of a regular expression, in the order of their ends; the last is the whole.
func atomsOf(text string) (atoms []atom) {
	open := []atom{{alternatives: []alternative{{}}}}
	for i := 0; i < len(text); {
		inner := &open[len(open)-1]
		switch {
		case text[i] == '(':
			from := i
			if i++; strings.HasPrefix(text[i:], "?:") {
				i += len("?:")
			}
			open = append(open, atom{from: from, alternatives: []alternative{{from: i}}})
		case text[i] == ')':
			inner.alternatives[len(inner.alternatives)-1].to = i
			i++
			inner.to, inner.optional = i, isOptional(text, i)
			atoms = append(atoms, *inner)
			open = open[:len(open)-1]
		case text[i] == '|':
			inner.alternatives[len(inner.alternatives)-1].to = i
			i++
			inner.alternatives = append(inner.alternatives, alternative{from: i})
		case text[i] == '{':
			i += strings.IndexByte(text[i:], '}') + 1
		case strings.IndexByte("?*+^$", text[i]) >= 0:
			i++
		default:
			to := i + lengthOfAtom(text[i:])
			atoms = append(atoms, atom{from: i, to: to, optional: isOptional(text, to)})
			i = to
		}
	}
	open[0].to = len(text)
	open[0].alternatives[len(open[0].alternatives)-1].to = len(text)
	return append(atoms, open[0])
}

func isOptional(text string, at int) bool { return strings.HasPrefix(text[at:], "?") }

var escape = regexp.MustCompile(`^\\(?:[xpP]\{[^}]*\}|.)`)

// lengthOfAtom returns the length of the class, the escape or the character that a text begins with.
func lengthOfAtom(text string) int {
	if text[0] != '[' {
		return lengthOfCharacter(text)
	}
	for i := 1; i < len(text); i += lengthOfCharacter(text[i:]) {
		if text[i] == ']' {
			return i + 1
		}
	}
	return len(text)
}

func lengthOfCharacter(text string) int {
	if m := escape.FindString(text); m != "" {
		return len(m)
	}
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// narrower are classes of fewer characters than the symbols stand for.
var narrower = map[string][]string{
	`\d`: {"[1-9]", "[0-8]"},
	`\w`: {`[^\W\d]`, `[^\W_]`, `[^\W\x{41}-\x{5A}]`, `[^\W\x{61}-\x{7A}]`},
	`\s`: {"[ ]", `\h`, `[\t\n\v\f\r ]`},
	`\S`: {`\w`, `[\x{21}-\x{7E}]`},
	`\h`: {"[ ]", `[\t ]`},
	`.`:  {`[^\n]`, `[ -~]`},
}

// narrowed returns what matches less than a class of characters: one of its members is left out, or a range begins one
// character later, or ends one sooner.
func narrowed(code string, letters bool) (list []string) {
	if !strings.HasPrefix(code, "[") {
		if letters {
			return narrower[code]
		}
		return nil
	}
	begin := 1
	if strings.HasPrefix(code, "[^") {
		begin = 2
	}
	members := membersOf(code[begin : len(code)-1])
	for i, m := range members {
		var others []string
		others = append(append(others, members[:i]...), members[i+1:]...)
		rest := strings.Join(others, "")
		if len(members) > 1 {
			list = append(list, code[:begin]+rest+"]")
		}
		for _, less := range shorter(m) {
			list = append(list, code[:begin]+rest+less+"]")
		}
	}
	return list
}

// membersOf returns the characters and the ranges of a class.
func membersOf(class string) (members []string) {
	for i := 0; i < len(class); {
		to := i + lengthOfCharacter(class[i:])
		if strings.HasPrefix(class[to:], "-") && to+1 < len(class) {
			to++
			to += lengthOfCharacter(class[to:])
		}
		members = append(members, class[i:to])
		i = to
	}
	return members
}

// shorter returns a range without its first character, and without its last.
func shorter(member string) []string {
	first, last, isRange := strings.Cut(member, "-")
	from, to := codeOf(first), codeOf(last)
	if !isRange || from < 0 || to <= from {
		return nil
	}
	code := func(n int64) string { return `\x{` + strings.ToUpper(strconv.FormatInt(n, 16)) + "}" }
	return []string{code(from+1) + "-" + code(to), code(from) + "-" + code(to-1)}
}

// codeOf returns the code point of one character as a class has it, -1 if it is none.
func codeOf(text string) int64 {
	if hex, isHex := strings.CutPrefix(text, `\x{`); isHex {
		n, err := strconv.ParseInt(strings.TrimSuffix(hex, "}"), 16, 32)
		if err == nil {
			return n
		}
	}
	if r, n := utf8.DecodeRuneInString(text); n == len(text) && n > 0 {
		return int64(r)
	}
	return -1
}

// wordsOf returns the words: letters in a row that are matched one after the other, though some may be optional.
func wordsOf(text string, atoms []atom) (list []alternative) {
	isLetter := func(a atom) bool { return a.to-a.from == 1 && text[a.from] >= 'a' && text[a.from] <= 'z' }
	for _, a := range atoms {
		n := len(list) - 1
		switch {
		case !isLetter(a):
		case n >= 0 && strings.Trim(text[list[n].to:a.from], "?") == "":
			list[n].to = a.to
		default:
			list = append(list, alternative{a.from, a.to})
		}
	}
	return list
}

// inLowerCase returns a pattern of jstext that matches the letters in lower case alone.
func inLowerCase(word string) string {
	var b strings.Builder
	for _, r := range word {
		if r >= 'a' && r <= 'z' {
			b.WriteString(`\x{` + strings.ToUpper(strconv.FormatInt(int64(r), 16)) + "}")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
