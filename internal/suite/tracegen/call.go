package tracegen

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// toolNames has bash several times, since its commands have rules of their own.
var toolNames = []string{
	"bash", "t", "bash", "read_file", "bash", "edit", "Bash", "bash:file_read", "", "{N}", "{tool}", "$&", "%s",
	"a\"b", "é", "😀", "\x7f", "t:",
}

// primaryNames are the ten arguments that say what a call is about (D1#fingerprinting-details).
var primaryNames = []string{
	"path", "file_path", "command", "pattern", "query", "url", "content", "filename", "offset", "limit",
}

var (
	workers    = []string{"w0", "w1", "w2", "w3"}
	oddWorkers = []string{"", "😀", "\uff5e", "W0"}
)

// callTemplate returns a template of tool calls.
func (d *draft) callTemplate() template { return d.callTemplateOf(pick(d.dice, toolNames)) }

// callTemplateOf returns a template of calls of a tool.
func (d *draft) callTemplateOf(tool string) template {
	if tool == "bash" && d.oneIn(4) {
		return d.fileReadTemplate()
	}
	args := d.callArgs(tool)
	return func(d *draft, near bool) {
		args := args
		if near {
			args = d.nearArgs(args)
		}
		d.emitCall(tool, args)
	}
}

// fileReadTemplate returns a template of commands that read one file; near ones read it in another way.
func (d *draft) fileReadTemplate() template {
	path := pick(d.dice, shellPaths)
	command := d.readCommand(path)
	return func(d *draft, near bool) {
		text := command
		if near {
			text = d.readCommand(path)
		}
		args := spec.ObjectValue(says("command", text))
		if near && d.maybe() {
			args = args.With("timeout", spec.IntValue(d.below(64)))
		}
		d.emitCall("bash", args)
	}
}

// emitCall appends a call, spelled in one of several ways that mean the same.
func (d *draft) emitCall(tool string, args spec.Value) {
	members := []spec.Member{is(spec.ToolCall), says("tool", tool)}
	if len(args.Members()) > 0 || d.maybe() {
		if d.oneIn(4) {
			args = d.shuffled(args)
		}
		members = append(members, spec.Member{Name: "args", Value: args})
	}
	if d.named && !d.oneIn(4) {
		members = append(members, spec.Member{Name: "id", Value: d.id()})
	}
	if slices.Contains(d.Demands[spec.ToolCall], "worker") || d.oneIn(32) {
		names := workers
		if d.oneIn(32) {
			names = oddWorkers
		}
		members = append(members, says("worker", pick(d.dice, names)))
	}
	d.emit(spec.ObjectValue(members...))
}

// callArgs draws the arguments of a call: nothing, primary ones, others, or both.
func (d *draft) callArgs(tool string) spec.Value {
	if tool == "bash" && !d.oneIn(8) || d.oneIn(8) {
		return d.commandArgs()
	}
	var members []spec.Member
	if d.maybe() {
		for range d.between(1, 2) {
			members = d.withPrimary(members)
		}
	}
	members = d.members(members, d.below(3), 2)
	return spec.ObjectValue(members...)
}

// commandArgs draws arguments with a command; seldom it is no text.
func (d *draft) commandArgs() spec.Value {
	command := spec.StringValue(d.command())
	if d.oneIn(16) {
		command = d.value(1)
	}
	members := []spec.Member{{Name: "command", Value: command}}
	if d.oneIn(8) {
		members = d.withPrimary(members)
	}
	if d.oneIn(4) {
		members = d.members(members, 1, 1)
	}
	return spec.ObjectValue(members...)
}

// withPrimary appends a primary argument: a text, or seldom anything.
func (d *draft) withPrimary(members []spec.Member) []spec.Member {
	name := pick(d.dice, primaryNames)
	if hasMember(members, name) {
		return members
	}
	v := spec.StringValue(d.text())
	if d.oneIn(4) {
		v = d.value(2)
	}
	return append(members, spec.Member{Name: name, Value: v})
}

// nearArgs returns arguments that differ in a detail.
func (d *draft) nearArgs(args spec.Value) spec.Value {
	members := args.Members()
	switch {
	case d.maybe():
		return args.With("timeout", spec.IntValue(d.below(8)))
	case len(members) == 0:
		return spec.ObjectValue(d.members(nil, 1, 1)...)
	case d.maybe():
		name := pick(d.dice, members).Name
		return args.With(name, d.nearValue(args.Get(name)))
	case d.maybe():
		return args.Without(pick(d.dice, members).Name)
	default:
		return spec.ObjectValue(d.withPrimary(slices.Clip(members))...)
	}
}

// nearValue returns a value that is easily taken for v.
func (d *draft) nearValue(v spec.Value) spec.Value {
	text, isText := v.Str()
	switch {
	case isText && d.maybe():
		return spec.StringValue(text + pick(d.dice, []string{" ", "x", " -v", "\x00", "\t2", "é", " | sort"}))
	case v.Kind() == spec.Object:
		return d.nearArgs(v)
	case v.Kind() == spec.Array && d.maybe():
		items := slices.Clone(v.Items())
		slices.Reverse(items)
		return spec.ArrayValue(items...)
	default:
		return d.value(1)
	}
}

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
	text := d.indent() + pick(d, programs)
	for range d.below(4) {
		text += pick(d, blanks) + pick(d, shellWords)
	}
	if text += d.indent(); d.oneIn(4) {
		return d.joined(text)
	}
	return text
}

// readCommand returns a command that reads one file, and seldom is made complex.
func (d dice) readCommand(path string) string {
	text := d.indent() + pick(d, readers) + d.option() + pick(d, blanks) + path + d.option() + d.indent()
	if d.oneIn(16) {
		return d.joined(text)
	}
	return text
}

// option returns an option with a blank before it, mostly none.
func (d dice) option() string {
	if d.oneIn(4) {
		return pick(d, blanks) + pick(d, []string{"-20", "-n", "--", "-", "-é"})
	}
	return ""
}

// indent returns a blank, mostly none.
func (d dice) indent() string {
	if d.oneIn(8) {
		return pick(d, blanks)
	}
	return ""
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
