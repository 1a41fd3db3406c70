package formats

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/loopstone/loopstone/spec"
)

// readLiteral reads a value that a Python program printed, as ast.literal_eval would, or one of JSON. Tuples and sets
// become arrays, keys become texts as json.dumps writes them, and of a name that stands twice the last value counts. An
// error says at which byte the text is no literal.
func readLiteral(text string) (spec.Value, error) {
	if v, err := spec.ParseValue([]byte(text)); err == nil {
		return v, nil
	}
	p := &literal{text: text}
	v, err := p.value(0)
	if err != nil {
		return spec.Value{}, err
	}
	if p.blank(); p.at < len(text) {
		return spec.Value{}, p.problem("more text after the value")
	}
	return v, nil
}

// maxNesting bounds how deep a literal may be: a log is hostile, and the stack is not endless.
const maxNesting = 200

// literal is a text that is being read.
type literal struct {
	text string
	at   int
}

func (p *literal) problem(what string) error {
	return fmt.Errorf("no literal: %s at byte %d", what, p.at)
}

func (p *literal) blank() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// next returns the next byte that is not blank, 0 at the end.
func (p *literal) next() byte {
	p.blank()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// take goes over a byte where it is the next.
func (p *literal) take(b byte) bool {
	if p.next() != b {
		return false
	}
	p.at++
	return true
}

func (p *literal) value(depth int) (spec.Value, error) {
	if depth > maxNesting {
		return spec.Value{}, p.problem("nested too deep")
	}
	switch b := p.next(); {
	case b == 0:
		return spec.Value{}, p.problem("it ends too early")
	case b == '{':
		p.at++
		return p.braces(depth + 1)
	case b == '[':
		p.at++
		return p.list(']', depth+1)
	case b == '(':
		p.at++
		return p.parentheses(depth + 1)
	case b == '\'' || b == '"' || p.prefix() > 0:
		text, err := p.texts()
		return spec.StringValue(text), err
	case b == '-' || b == '+' || b == '.' || b >= '0' && b <= '9':
		return p.number()
	default:
		return p.word()
	}
}

// braces reads what follows a {: a dictionary, or a set.
func (p *literal) braces(depth int) (spec.Value, error) {
	var members []spec.Member
	for {
		if p.take('}') {
			return spec.ObjectValue(members...), nil
		}
		key, err := p.value(depth)
		if err != nil {
			return spec.Value{}, err
		}
		if len(members) == 0 && p.next() != ':' {
			return p.rest(key, '}', depth)
		}
		if !p.take(':') {
			return spec.Value{}, p.problem("a colon is missing")
		}
		value, err := p.value(depth)
		if err != nil {
			return spec.Value{}, err
		}
		members = put(members, keyText(key), value)
		if !p.take(',') && p.next() != '}' {
			return spec.Value{}, p.problem("a comma is missing")
		}
	}
}

// put adds a member, or replaces that of the same name.
func put(members []spec.Member, name string, value spec.Value) []spec.Member {
	i := slices.IndexFunc(members, func(m spec.Member) bool { return m.Name == name })
	if i < 0 {
		return append(members, spec.Member{Name: name, Value: value})
	}
	members[i].Value = value
	return members
}

func keyText(key spec.Value) string {
	if text, ok := key.Str(); ok {
		return text
	}
	return key.String()
}

// list reads items up to a closing bracket.
func (p *literal) list(end byte, depth int) (spec.Value, error) {
	if p.take(end) {
		return spec.ArrayValue(), nil
	}
	first, err := p.value(depth)
	if err != nil {
		return spec.Value{}, err
	}
	return p.rest(first, end, depth)
}

// rest reads the items after the first one.
func (p *literal) rest(first spec.Value, end byte, depth int) (spec.Value, error) {
	items := []spec.Value{first}
	for !p.take(end) {
		if !p.take(',') {
			return spec.Value{}, p.problem("a comma is missing")
		}
		if p.next() == end {
			continue
		}
		item, err := p.value(depth)
		if err != nil {
			return spec.Value{}, err
		}
		items = append(items, item)
	}
	return spec.ArrayValue(items...), nil
}

// parentheses reads what follows a (: a tuple, or one value in parentheses.
func (p *literal) parentheses(depth int) (spec.Value, error) {
	if p.take(')') {
		return spec.ArrayValue(), nil
	}
	first, err := p.value(depth)
	if err != nil || p.take(')') {
		return first, err
	}
	return p.rest(first, ')', depth)
}

var constants = map[string]spec.Value{
	"True": spec.BoolValue(true), "False": spec.BoolValue(false), "None": spec.NullValue(),
	"true": spec.BoolValue(true), "false": spec.BoolValue(false), "null": spec.NullValue(),
}

func (p *literal) word() (spec.Value, error) {
	end := p.at
	for end < len(p.text) && isLetter(p.text[end]) {
		end++
	}
	v, known := constants[p.text[p.at:end]]
	if !known {
		return spec.Value{}, p.problem("a word that is no value")
	}
	p.at = end
	return v, nil
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b >= '0' && b <= '9' }

func (p *literal) number() (spec.Value, error) {
	end := p.at + 1
	for end < len(p.text) {
		b := p.text[end]
		afterE := p.text[end-1]|0x20 == 'e' && !strings.HasPrefix(p.text[p.at:], "0x")
		if b != '.' && !isLetter(b) && !((b == '-' || b == '+') && afterE) {
			break
		}
		end++
	}
	spelling := p.text[p.at:end]
	if n, err := strconv.ParseInt(spelling, 0, 64); err == nil {
		p.at = end
		return spec.NumberValue(strconv.FormatInt(n, 10)), nil
	}
	plain := strings.TrimPrefix(strings.ReplaceAll(spelling, "_", ""), "+")
	if v, err := spec.ParseValue([]byte(plain)); err == nil { // as it is spelled, however long
		p.at = end
		return v, nil
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil || strings.ContainsAny(plain, "xXnN") {
		return spec.Value{}, p.problem("no number")
	}
	p.at = end
	return spec.FloatValue(f), nil
}

// prefix returns how many letters stand before the quote of a text, such as r and b; 0 where no text begins here.
func (p *literal) prefix() int {
	n := 0
	for n < 2 && p.at+n < len(p.text) && strings.IndexByte("rRbBuU", p.text[p.at+n]) >= 0 {
		n++
	}
	if p.at+n < len(p.text) && strings.IndexByte(`'"`, p.text[p.at+n]) >= 0 {
		return n
	}
	return 0
}

// texts reads a text, and those that follow it with nothing between.
func (p *literal) texts() (string, error) {
	var whole strings.Builder
	for {
		raw := strings.ContainsAny(p.text[p.at:p.at+p.prefix()], "rR")
		p.at += p.prefix()
		if err := p.quoted(raw, &whole); err != nil {
			return "", err
		}
		if b := p.next(); b != '\'' && b != '"' && p.prefix() == 0 {
			return strings.ToValidUTF8(whole.String(), "\ufffd"), nil
		}
	}
}

// quoted reads a text from its opening quote to the closing one.
func (p *literal) quoted(raw bool, into *strings.Builder) error {
	quote := p.text[p.at : p.at+1]
	if strings.HasPrefix(p.text[p.at:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	p.at += len(quote)
	for !strings.HasPrefix(p.text[p.at:], quote) {
		switch {
		case p.at == len(p.text), len(quote) == 1 && p.text[p.at] == '\n':
			return p.problem("a text without its end")
		case p.text[p.at] != '\\':
			into.WriteByte(p.text[p.at])
			p.at++
		case raw && p.at+1 < len(p.text):
			into.WriteString(p.text[p.at : p.at+2])
			p.at += 2
		default:
			if err := p.escape(into); err != nil {
				return err
			}
		}
	}
	p.at += len(quote)
	return nil
}

var simpleEscapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': "\"", '\n': "", 'a': "\a", 'b': "\b", 'f': "\f",
	'v': "\v",
}

// hexEscapes holds how many digits follow the letter.
var hexEscapes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// escape reads one escape. An unknown one stands for itself, backslash included.
func (p *literal) escape(into *strings.Builder) error {
	if p.at+1 == len(p.text) {
		return p.problem("a text without its end")
	}
	letter := p.text[p.at+1]
	simple, known := simpleEscapes[letter]
	switch digits := hexEscapes[letter]; {
	case known:
		into.WriteString(simple)
		p.at += 2
	case digits > 0:
		r, err := p.hex(digits)
		if err != nil {
			return err
		}
		into.WriteRune(r)
	case letter >= '0' && letter <= '7':
		into.WriteRune(p.octal())
	default:
		into.WriteString(p.text[p.at : p.at+2])
		p.at += 2
	}
	return nil
}

// hex reads an escape of so many digits, and its other half where it is the first of two surrogates.
func (p *literal) hex(digits int) (rune, error) {
	r, err := p.hexDigits(digits)
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if !strings.HasPrefix(p.text[p.at:], `\u`) {
		return utf8.RuneError, nil
	}
	before := p.at
	low, err := p.hexDigits(4)
	if pair := utf16.DecodeRune(r, low); err == nil && pair != utf8.RuneError {
		return pair, nil
	}
	p.at = before
	return utf8.RuneError, nil
}

func (p *literal) hexDigits(digits int) (rune, error) {
	from, to := p.at+2, p.at+2+digits
	if to > len(p.text) {
		return 0, p.problem("an escape without its digits")
	}
	n, err := strconv.ParseUint(p.text[from:to], 16, 32)
	if err != nil || n > utf8.MaxRune {
		return 0, errors.Join(p.problem("an escape that is no character"), err)
	}
	p.at = to
	return rune(n), nil
}

// octal reads an escape of one to three digits.
func (p *literal) octal() rune {
	p.at++
	n := rune(0)
	for i := 0; i < 3 && p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '7'; i++ {
		n = n*8 + rune(p.text[p.at]-'0')
		p.at++
	}
	return n
}
