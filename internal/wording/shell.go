package wording

import "strings"

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
