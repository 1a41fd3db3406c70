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
