package history

import "github.com/loopstone/loopstone/spec"

// Hashed returns the text whose MD5 sum history.hash returns for these arguments; empty if it refuses them. A sum says
// that two ports differ, its text says in what.
func Hashed(v spec.Value) string {
	call, err := hashedCall(v)
	if err != nil {
		return ""
	}
	return string(new(Config).appendText(nil, call)) // HI-6
}
