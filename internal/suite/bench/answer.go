package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// answer is what a request is to be answered with: its id, and a verdict for each event. A request that is no
// observation has none.
type answer struct{ id, events int }

// check returns an error if the line is not this answer. Most lines are only searched: reading them whole would be
// measured, too.
func (a answer) check(line []byte) error {
	if !bytes.Contains(line, []byte(`"error"`)) && idOf(line) == a.id && verdictsIn(line) == a.events {
		return nil
	}
	var got struct {
		ID     json.RawMessage
		Result *struct{ Verdicts []struct{ Loop *bool } }
		Error  json.RawMessage
	}
	switch err := json.Unmarshal(line, &got); {
	case err != nil:
		return fmt.Errorf("the port answered what is no answer: %.300s", line)
	case got.Error != nil:
		return fmt.Errorf("the port refused a request: %.300s", line)
	case string(got.ID) != strconv.Itoa(a.id):
		return fmt.Errorf("the port answered with the id %.50s, want %d: %.300s", got.ID, a.id, line)
	case got.Result == nil:
		return fmt.Errorf("the port answered without a result: %.300s", line)
	}
	given := 0
	for _, verdict := range got.Result.Verdicts {
		if verdict.Loop != nil {
			given++
		}
	}
	if given != a.events || given != len(got.Result.Verdicts) {
		return fmt.Errorf("the port gave %d verdicts for %d events: %.300s", given, a.events, line)
	}
	return nil
}

// idOf returns the first integer that is named id; -1 if none is.
func idOf(line []byte) int {
	_, rest, _ := bytes.Cut(line, []byte(`"id"`))
	rest = afterColon(rest)
	end := bytes.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	id, err := strconv.Atoi(string(rest[:max(end, 0)]))
	if err != nil {
		return -1
	}
	return id
}

// verdictsIn counts the booleans that are named loop.
func verdictsIn(line []byte) int {
	n := 0
	for more := true; more; {
		if _, line, more = bytes.Cut(line, []byte(`"loop"`)); more {
			if rest := afterColon(line); bytes.HasPrefix(rest, []byte("false")) || bytes.HasPrefix(rest, []byte("true")) {
				n++
			}
		}
	}
	return n
}

// afterColon returns what follows a member's name; nothing if no value does.
func afterColon(rest []byte) []byte {
	value, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte(":"))
	if !ok {
		return nil
	}
	return bytes.TrimLeft(value, " \t")
}
