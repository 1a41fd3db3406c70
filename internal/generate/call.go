package generate

import (
	"slices"

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
	workers     = numberedTexts("w%d", 4)
	oddWorkers  = []spec.Value{spec.StringValue(""), spec.StringValue("😀"), spec.StringValue("\uff5e"), spec.StringValue("W0")}
	emptyObject = spec.ObjectValue()
)

// callLetter returns a letter of tool calls.
func (d *draft) callLetter() letter {
	tool := pick(d.dice, toolNames)
	if tool == "bash" && d.oneIn(4) {
		return d.fileReadLetter()
	}
	args := d.callArgs(tool)
	return func(d *draft, near bool) {
		if near {
			d.emitCall(tool, d.nearArgs(args))
			return
		}
		d.emitCall(tool, args)
	}
}

// fileReadLetter returns a letter of commands that read one file; near ones read it in another way.
func (d *draft) fileReadLetter() letter {
	path := pick(d.dice, shellPaths)
	command := d.readCommand(path)
	return func(d *draft, near bool) {
		text := command
		if near {
			text = d.readCommand(path)
		}
		args := spec.ObjectValue(spec.Member{Name: "command", Value: spec.StringValue(text)})
		if near && d.maybe() {
			args = args.With("timeout", spec.IntValue(d.below(64)))
		}
		d.emitCall("bash", args)
	}
}

// emitCall appends a call, spelled in one of several ways that mean the same.
func (d *draft) emitCall(tool string, args spec.Value) {
	members := make([]spec.Member, 2, 5)
	members[0] = spec.Member{Name: "type", Value: toolCall}
	members[1] = spec.Member{Name: "tool", Value: spec.StringValue(tool)}
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
		members = append(members, spec.Member{Name: "worker", Value: d.worker()})
	}
	d.emit(spec.ObjectValue(members...))
}

func (d *draft) worker() spec.Value {
	if d.oneIn(32) {
		return pick(d.dice, oddWorkers)
	}
	return pick(d.dice, workers)
}

// callArgs draws the arguments of a call: nothing, primary ones, others, or both.
func (d *draft) callArgs(tool string) spec.Value {
	if tool == "bash" && !d.oneIn(8) || d.oneIn(8) {
		return d.commandArgs()
	}
	var members []spec.Member
	s := d.speller()
	if d.maybe() {
		for range d.between(1, 2) {
			members = d.withPrimary(members)
		}
	}
	members = s.members(members, d.below(3), 2)
	return spec.ObjectValue(members...)
}

// commandArgs draws arguments with a command; seldom it is no text.
func (d *draft) commandArgs() spec.Value {
	command := spec.StringValue(d.command())
	if d.oneIn(16) {
		command = d.speller().value(1)
	}
	members := []spec.Member{{Name: "command", Value: command}}
	if d.oneIn(8) {
		members = d.withPrimary(members)
	}
	if d.oneIn(4) {
		members = d.speller().members(members, 1, 1)
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
		v = d.speller().value(2)
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
		return spec.ObjectValue(d.speller().members(nil, 1, 1)...)
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
		return d.speller().value(1)
	}
}
