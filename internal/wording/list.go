package wording

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
)

// Join returns names in one text.
func Join[T ~string](names []T, separator string) string {
	return strings.Join(lists.Strings(names), separator)
}

// Some returns the first names in one text, and how many more there are if there are more than most.
func Some(names []string, most int, separator string) string {
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, separator)
}

// Count returns a number with its noun, which takes an s behind any number but 1.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// plain are the characters, beside letters and digits, that mean nothing to a shell.
const plain = "_@%+=:,./-"

// Shell returns a command line that a POSIX shell splits into exactly these words, whatever characters they have.
func Shell(list ...string) string {
	quoted := make([]string, len(list))
	for i, word := range list {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
}

func quote(word string) string {
	if word != "" && strings.IndexFunc(word, meansSomething) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func meansSomething(r rune) bool {
	isWord := 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	return !isWord && !strings.ContainsRune(plain, r)
}
