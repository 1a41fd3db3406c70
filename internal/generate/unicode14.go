package generate

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// unicode14 lists the ranges of code points that texts may have: assigned in Unicode 14, neither surrogate nor private
// use, and without U+0295 and U+1171E, whose properties later versions changed. Go's own tables are of a later version.
//
//go:embed unicode14.txt
var unicode14 string

// runeRange is a range of code points, both ends included.
type runeRange struct{ first, last rune }

// runeRanges returns the ranges in ascending order. Drawing a range before a code point gives every script its share:
// by code points, three texts in four would be Chinese.
var runeRanges = sync.OnceValue(func() []runeRange {
	var ranges []runeRange
	for _, field := range strings.Fields(unicode14) {
		var r runeRange
		if n, _ := fmt.Sscanf(field, "%x-%x", &r.first, &r.last); n < 2 {
			r.last = r.first
		}
		ranges = append(ranges, r)
	}
	return ranges
})

// rune returns a character of the specification's Unicode.
func (d dice) rune() rune {
	r := pick(d, runeRanges())
	size := int(r.last-r.first) + 1
	if size <= maxSides {
		return r.first + rune(d.below(size))
	}
	offset := d.below(size/maxSides)*maxSides + d.below(maxSides)
	return r.first + rune(offset)
}
