package crow

import (
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// contextErrors counts the errors of the window that say that the context is full.
type contextErrors struct {
	phrases []string // in lower case; an error is one of these when its message contains one of them

	marks queue[bool] // for each error of the window, whether it is one
	count int
	trail spec.Trail
}

// leastContextErrors is how many of them are a loop, in both readings.
const leastContextErrors = 2

func (c *contextErrors) add(e spec.Event) {
	is := c.is(e)
	*c.marks.push() = is
	if is {
		c.count++
		note(&c.trail, e)
	}
}

// drop takes away the oldest error.
func (c *contextErrors) drop() {
	if *c.marks.at(0) {
		c.count--
	}
	c.marks.drop()
}

func (c *contextErrors) is(e spec.Event) bool {
	if e.ErrorType == "context_length_exceeded" {
		return true
	}
	for _, phrase := range c.phrases {
		if containsFold(e.Message, phrase) {
			return true
		}
	}
	return false
}

func (c *contextErrors) clear() {
	c.marks.clear()
	c.count = 0
	c.trail.Reset()
}

func (c *contextErrors) verdict() spec.Verdict {
	if c.count < leastContextErrors {
		return spec.Verdict{}
	}
	v := contextError(c.count)
	v.Evidence = latest(&c.trail, c.count)
	return v
}

// containsFold reports whether text contains the phrase, which is ASCII in lower case, in any mixture of upper and
// lower case. No character outside ASCII has a lower case that is a letter of our phrases, so ASCII is enough to agree
// with Python's lower().
func containsFold(text, phrase string) bool {
	for {
		i := strings.IndexAny(text, phrase[:1]+strings.ToUpper(phrase[:1]))
		if i < 0 || len(text)-i < len(phrase) {
			return false
		}
		if equalFold(text[i:i+len(phrase)], phrase) {
			return true
		}
		text = text[i+1:]
	}
}

// equalFold compares a text with a phrase in lower case of the same length, without regard to the case of ASCII letters.
func equalFold(text, phrase string) bool {
	for i := range len(phrase) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != phrase[i] {
			return false
		}
	}
	return true
}
