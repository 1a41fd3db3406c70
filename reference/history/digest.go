package history

import (
	"crypto/md5"
	"encoding/hex"
	"strings"

	"github.com/loopstone/loopstone/reference/pyjson"
	"github.com/loopstone/loopstone/spec"
)

// digest is an MD5 sum: what the document compares calls by. It is no protection against anyone.
type digest [md5.Size]byte

func sum(text []byte) digest { return md5.Sum(text) }

// String returns the 32 lower-case hexadecimal digits.
func (d digest) String() string { return hex.EncodeToString(d[:]) }

// Hash returns a call's hash as D4#how-hashing-works computes it in Python: the MD5 sum of the tool, a colon and the
// arguments as json.dumps(args, sort_keys=True) writes them, in 32 lower-case hexadecimal digits. It assumes that args
// is an object. [HI-6]
func Hash(tool string, args spec.Value) string { return sum(appendCall(nil, tool, args)).String() }

// appendCall appends the text that is hashed for a call; it ends in "}".
func appendCall(b []byte, tool string, args spec.Value) []byte {
	return pyjson.AppendSorted(append(append(b, tool...), ':'), args)
}

// appendTool appends the text that is hashed for any call of a tool whose arguments do not count. It ends in ":", as
// no other call's text does.
func appendTool(b []byte, tool string) []byte { return append(append(b, tool...), ':') }

// appendWord appends the text that is hashed for a tool and the first word of its command. The word has no blank, so
// that the first one ends it.
func appendWord(b []byte, tool, word string) []byte {
	return append(append(append(b, word...), ' '), tool...)
}

// blanks are the characters that separate words. [HI-21]
const blanks = " \t\n\v\f\r"

// firstWord returns the first word of a call's command; empty where it has none, or no command that is a string.
func firstWord(args spec.Value) string {
	command, _ := args.Get("command").Str()
	command = strings.TrimLeft(command, blanks)
	if end := strings.IndexAny(command, blanks); end >= 0 {
		command = command[:end]
	}
	return command
}
