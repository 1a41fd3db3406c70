package workload

import "strings"

// seed makes the workloads what they are; another one would make other workloads, and end every comparison with
// figures from before.
const seed = 0x10095704E

// dice is the SplitMix64 generator of Steele, Lea and Flood: four lines in any language, and the same numbers in all.
type dice uint64

// diceAt returns the dice of one position of a trace.
func diceAt(i int) *dice {
	d := dice(seed + uint64(i)*0x9E3779B97F4A7C15)
	return &d
}

func (d *dice) next() uint64 {
	*d += 0x9E3779B97F4A7C15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below returns a number from 0 to n−1. For the small n of the workloads the bias does not matter.
func (d *dice) below(n int) int { return int(d.next() % uint64(n)) }

func (d *dice) pick(from []string) string { return from[d.below(len(from))] }

// words of which files, commands and texts are made.
var words = []string{
	"parser", "token", "session", "router", "cache", "login", "invoice", "report", "queue", "worker", "schema", "index",
	"render", "config", "upload", "search", "filter", "export", "client", "server", "handler", "timeout", "retry", "state",
}

// prose returns n bytes of words, in lines.
func (d *dice) prose(n int) string {
	var text strings.Builder
	text.Grow(n + 16)
	for i := 1; text.Len() < n; i++ {
		text.WriteString(d.pick(words))
		if i%12 == 0 {
			text.WriteByte('\n')
		} else {
			text.WriteByte(' ')
		}
	}
	return text.String()[:n]
}
