package stream

// search finds the occurrences of the current chunk. It costs as much as the recorded text is long, and most characters
// can do without it: while the end of the text that occurs earlier is shorter than a chunk, it grows by one character
// at most with each that is recorded. No snapshot has this. A text that is cut or emptied has fewer occurrences.
type search struct {
	quiet int // this many characters must be recorded before a chunk can occur twice; 0 is always right
}

// recorded notes that a character was added to the recorded text.
func (s *search) recorded() { s.quiet = max(0, s.quiet-1) }

// occurrences returns where the current chunk occurs in the recorded text: the latest places, as many as are judged,
// the current one first. It returns none if the text is shorter than a chunk, or if the chunk cannot occur twice.
func (s *search) occurrences(c *Config, text []rune) (places []int) { // ST-9
	if s.quiet > 0 || len(text) < c.ChunkSize {
		return nil
	}
	last, longest := len(text)-1, 0
	for at := last; at >= 0 && len(places) < c.ChunkCopies; at = lastIndex(text[:at], text[last]) {
		common := commonEnd(text[:at+1], text, c.ChunkSize)
		if common == c.ChunkSize {
			places = append(places, at+1-c.ChunkSize)
		}
		if at < last {
			longest = max(longest, common)
		}
	}
	if len(places) < c.ChunkCopies {
		s.quiet = c.ChunkSize - longest
	}
	return places
}

// lastIndex returns where a character occurs last; -1 if it does not occur. Most of the time of the rule is spent here.
func lastIndex(text []rune, r rune) int {
	for at := len(text) - 1; at >= 0; at-- {
		if text[at] == r {
			return at
		}
	}
	return -1
}

// commonEnd returns how many characters two texts have in common at their ends; it counts no further than to most.
func commonEnd(a, b []rune, most int) (n int) {
	for n < min(most, len(a)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
