package generate

import "strings"

// Words of shell commands, chosen around the rules about files that are read, about complex commands and about first
// words.
var (
	readers  = []string{"cat", "head", "tail"}
	programs = []string{
		"cat", "head", "tail", "echo", "sed", "ls", "npm", "Cat", "catalog", "cat\u00a0f", "'cat'", "sudo", "-cat",
		"cat\u0085", "ſed",
	}
	shellPaths = []string{
		"a.py", "f", "src/a.ts", "b", `"a b"`, "'f'", "$HOME/f", "é", "a\\", "20", ".", "😀", "f\u00a0g", "\u2028",
	}
	shellWords = []string{
		"f", "-n", "a.py", "-20", "20", "--", "-", "--lines=3", "b", "'f'", "é-", "\u00a0", "-é", "install", "s/a/b/",
	}
	blanks = []string{" ", " ", "  ", "\t", " \t ", "\v", "\f", "\r"}
	joints = []string{
		"|", ">", "<", ";", "&", "\n", "&&", "||", " | ", " > ", "2>&1", "\r\n", "$(x)", "`x`", "#", "\u2028",
	}
)

// command returns a shell command.
func (d dice) command() string {
	if d.oneIn(32) {
		return pick(d, []string{"", " ", "\t\n", "\u00a0", "cat"})
	}
	var b strings.Builder
	d.indent(&b)
	b.WriteString(pick(d, programs))
	for range d.below(4) {
		b.WriteString(pick(d, blanks))
		b.WriteString(pick(d, shellWords))
	}
	d.indent(&b)
	if d.oneIn(4) {
		return d.joined(b.String())
	}
	return b.String()
}

// readCommand returns a command that reads one file, and seldom is made complex.
func (d dice) readCommand(path string) string {
	var b strings.Builder
	d.indent(&b)
	b.WriteString(pick(d, readers))
	d.options(&b)
	b.WriteString(pick(d, blanks))
	b.WriteString(path)
	d.options(&b)
	d.indent(&b)
	if d.oneIn(16) {
		return d.joined(b.String())
	}
	return b.String()
}

func (d dice) options(b *strings.Builder) {
	if d.oneIn(4) {
		b.WriteString(pick(d, blanks))
		b.WriteString(pick(d, []string{"-20", "-n", "--", "-", "-é"}))
	}
}

func (d dice) indent(b *strings.Builder) {
	if d.oneIn(8) {
		b.WriteString(pick(d, blanks))
	}
}

// joined puts what makes a command complex, or only seems to, at its beginning, at its end or behind a blank.
func (d dice) joined(command string) string {
	joint := pick(d, joints)
	switch d.below(3) {
	case 0:
		return command + joint
	case 1:
		return joint + command
	default:
		return strings.Replace(command, " ", " "+joint, 1)
	}
}
