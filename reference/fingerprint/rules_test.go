package fingerprint_test

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

func TestOneFingerprintMeansAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := call(t), call(t)
		same := fingerprint.Compute(a.Tool, a.Args) == fingerprint.Compute(b.Tool, b.Args)
		if want := alike(a, b); same != want {
			t.Fatalf("%s %s and %s %s: one fingerprint %t, want %t", a.Tool, a.Args, b.Tool, b.Args, same, want)
		}
	})
}

var (
	simpleRead = regexp.MustCompile(`^\s*(?:cat|head|tail)(?:\s+-\S*)*\s+([^-\s]\S*)(?:\s+-\S*)*\s*$`)
	joined     = regexp.MustCompile(`[|<>;&\n]`)
	isPrimary  = regexp.MustCompile(`^(path|file_path|command|pattern|query|url|content|filename|offset|limit)$`)
)

// alike says when two calls have one fingerprint, without computing it.
func alike(a, b spec.Event) bool {
	if a.Tool != b.Tool {
		return false
	}
	if a.Tool == "bash" {
		x, _ := a.Args.Get("command").Str()
		y, _ := b.Args.Get("command").Str()
		if joined.MatchString(x) || joined.MatchString(y) {
			return a.Args.Equal(b.Args)
		}
		readX, readY := simpleRead.FindStringSubmatch(x), simpleRead.FindStringSubmatch(y)
		if readX != nil || readY != nil {
			return readX != nil && readY != nil && readX[1] == readY[1]
		}
	}
	return kept(a.Args).Equal(kept(b.Args))
}

// kept drops the members that do not count; all count where none is primary.
func kept(args spec.Value) spec.Value {
	only := args
	for _, m := range args.Members() {
		if !isPrimary.MatchString(m.Name) {
			only = only.Without(m.Name)
		}
	}
	if len(only.Members()) == 0 {
		return args
	}
	return only
}
