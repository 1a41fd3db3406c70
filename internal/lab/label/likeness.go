package label

import "strings"

// Likeness says how a step resembles another: "equal", "near", or nothing.
type Likeness struct {
	Call   string `json:"call,omitempty"`
	Result string `json:"result,omitempty"`
}

// nearly is the likeness of two texts from which they are near: twice the words that they share, divided by the words
// of both.
const nearly = 0.9

func likenessOf(a, b Step) Likeness {
	var l Likeness
	if a.Tool == b.Tool {
		l.Call = likeness(a.Args, b.Args)
	}
	if a.Result != nil && b.Result != nil {
		l.Result = likeness(*a.Result, *b.Result)
	}
	return l
}

func likeness(a, b string) string {
	if a == b {
		return "equal"
	}
	left, right := strings.Fields(a), strings.Fields(b)
	counts := map[string]int{}
	for _, word := range left {
		counts[word]++
	}
	shared := 0
	for _, word := range right {
		if counts[word] > 0 {
			counts[word]--
			shared++
		}
	}
	if all := len(left) + len(right); all > 0 && float64(2*shared) >= nearly*float64(all) {
		return "near"
	}
	return ""
}
