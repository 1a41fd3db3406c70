package stdio

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Command says how to start an adapter.
type Command struct {
	Path string   // looked up in $PATH where it has no slash; a relative one is taken from Dir
	Args []string // without the name of the program
	Dir  string   // the runner's own where empty
	Env  []string // added to the runner's own environment, as NAME=value
}

// String returns the command as it would be typed, quoted where a shell would need it.
func (c Command) String() string {
	words := make([]string, 0, 1+len(c.Args))
	for _, word := range append([]string{c.Path}, c.Args...) {
		if word == "" || strings.ContainsAny(word, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
			word = strconv.Quote(word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func (c Command) prepare() *exec.Cmd {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), c.Env...)
	return cmd
}
