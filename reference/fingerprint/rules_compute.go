package fingerprint

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// bash is the tool whose commands are looked into.
const bash = "bash"

// primaryKeys are the names of the primary members of arguments.
var primaryKeys = []string{ // FP-8
	"path", "file_path", "command", "pattern", "query", "url", "content", "filename", "offset", "limit",
}

// readCommands are the commands that print a file.
var readCommands = []string{"cat", "head", "tail"} // FP-12

// fileCommands are the commands that an agent should leave to its file tools.
var fileCommands = []string{"cat", "echo", "sed"} // FP-35

// Compute returns a call's fingerprint, as [Append] appends it.
func Compute(tool string, args spec.Value) string { return string(Append(nil, tool, args)) }

// Append appends a call's fingerprint (D1#fingerprinting-details). Calls of two tools never share a fingerprint. Append
// assumes that args is an object and that its numbers are within the range of doubles.
//
//  1. A complex bash command: the tool and all arguments. (FP-13)
//  2. A bash command that only reads one file: "bash:file_read:" and the path as written. (FP-11)
//  3. Otherwise the tool and the primary arguments, or all arguments if none is primary. (FP-8, FP-10)
//
// D1 fixes only the second form; a port may write the other forms as it likes.
func Append(b []byte, tool string, args spec.Value) []byte { // FP-15
	if tool == bash { // FP-14: no other tool's command matters
		command, _ := args.Get("command").Str()
		if isComplex(command) { // FP-13
			return write(b, tool, args)
		}
		if path, ok := fileRead(command); ok { // FP-11
			return append(append(b, "bash:file_read:"...), path...)
		}
	}
	if kept := primary(args); len(kept) > 0 { // FP-8
		return write(b, tool, spec.ObjectValue(kept...))
	}
	return write(b, tool, args) // FP-10
}

// write writes the tool and the arguments that count. The quotes around the tool keep a tool with the name
// "bash:file_read" apart from bash.
func write(b []byte, tool string, args spec.Value) []byte { // FP-7, FP-15, SW-43
	b = spec.StringValue(tool).AppendJSON(b)
	return args.AppendCanonical(append(b, ':'))
}

// primary returns the primary arguments that are present, even with the value null.
func primary(args spec.Value) (kept []spec.Member) { // FP-8, FP-9
	for _, m := range args.Members() {
		if slices.Contains(primaryKeys, m.Name) {
			kept = append(kept, m)
		}
	}
	return kept
}

// isComplex reports whether a command joins or redirects others, so that its words do not say what it does.
func isComplex(command string) bool { return strings.ContainsAny(command, "|><;&\n") } // FP-13

// fileRead returns the file that a simple command reads, as the command writes it, and whether the command only reads
// one file: cat, head or tail, options that begin with "-" anywhere after it, and exactly one other word.
func fileRead(command string) (path string, ok bool) { // FP-12
	words := strings.FieldsFunc(command, isBlank)
	if len(words) == 0 || !slices.Contains(readCommands, words[0]) {
		return "", false
	}
	files := 0
	for _, word := range words[1:] {
		if !strings.HasPrefix(word, "-") {
			path, files = word, files+1
		}
	}
	return path, files == 1
}

// isBlank reports whether the character separates words. No character outside ASCII does.
func isBlank(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) } // FP-12

// firstWord returns the first word of a call's command, empty if the command has none or is not a string.
func firstWord(args spec.Value) (word string) { // FP-12
	command, _ := args.Get("command").Str()
	for word = range strings.FieldsFuncSeq(command, isBlank) {
		break
	}
	return word
}
