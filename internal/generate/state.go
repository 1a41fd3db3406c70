package generate

import "github.com/loopstone/loopstone/spec"

// known is a fingerprint of a swarm's state and the tool of its calls. D1 spells out one form of fingerprint; the others
// are opaque.
type known struct{ fingerprint, tool string }

var knownFingerprints = []known{
	{"bash:file_read:a.ts", "bash"},
	{"bash:file_read:b.ts", "bash"},
	{"f", "read_file"},
	{"g", "t"},
	{"h", "é"},
	{"\uff5e", "t"},
	{"😀", "t"},
	{"", ""},
	{"a\"b", "t"},
	{"F", "read_file"},
}

// largestCount is the largest number of calls that a state may hold.
const largestCount = 1<<53 - 1

// states draws what parts of a swarm counted, seldom with a fault in one of them.
func (d *draft) states() spec.Value {
	items := make([]spec.Value, d.below(5))
	most := largestCount / max(len(items), 1) // the sum of all states stays within what a state may hold
	for i := range items {
		items[i] = d.state(most)
	}
	if len(items) > 0 && d.oneIn(4) {
		i := d.below(len(items))
		items[i] = d.brokenState(items[i])
	}
	return spec.ArrayValue(items...)
}

// state draws a state in any order of its parts, with counts up to most.
func (d *draft) state(most int) spec.Value {
	var entries []spec.Value
	first := d.below(len(knownFingerprints))
	for range d.below(5) {
		first = (first + 1 + d.below(2)) % len(knownFingerprints)
		if !hasEntry(entries, knownFingerprints[first]) {
			entries = append(entries, d.entry(knownFingerprints[first], most))
		}
	}
	return stateOf(entries)
}

func stateOf(entries []spec.Value) spec.Value {
	return spec.ObjectValue(spec.Member{Name: "fingerprints", Value: spec.ArrayValue(entries...)})
}

func hasEntry(entries []spec.Value, k known) bool {
	for _, e := range entries {
		if name, _ := e.Get("fingerprint").Str(); name == k.fingerprint {
			return true
		}
	}
	return false
}

// entry draws what is known of a fingerprint.
func (d *draft) entry(k known, most int) spec.Value {
	names := append(append(make([]spec.Value, 0, 8), workers...), oddWorkers...)
	for i := range names {
		j := d.below(i + 1)
		names[i], names[j] = names[j], names[i]
	}
	names = names[:d.between(1, len(names))]
	count := len(names) + d.below(12)
	if d.oneIn(64) {
		count = most
	}
	tool := k.tool
	if d.oneIn(64) {
		tool = "another" // no fault in one state, but one where another state knows the fingerprint, too
	}
	v := spec.ObjectValue(
		spec.Member{Name: "fingerprint", Value: spec.StringValue(k.fingerprint)},
		spec.Member{Name: "tool", Value: spec.StringValue(tool)},
		spec.Member{Name: "count", Value: spec.IntValue(count)},
		spec.Member{Name: "workers", Value: spec.ArrayValue(names...)})
	if d.oneIn(4) {
		return d.shuffledTop(v)
	}
	return v
}

// brokenState returns the state with one fault.
func (d *draft) brokenState(state spec.Value) spec.Value {
	entries := state.Get("fingerprints").Items()
	if len(entries) == 0 || d.oneIn(8) {
		return pick(d.dice, wrongStates)
	}
	i := d.below(len(entries))
	broken := append(append(make([]spec.Value, 0, len(entries)+1), entries...), entries[i])
	if d.oneIn(8) {
		return stateOf(broken) // one fingerprint twice
	}
	broken[i] = d.brokenEntry(broken[i])
	return stateOf(broken[:len(entries)])
}

var wrongStates = parsed(`{}`, `null`, `[]`, `{"fingerprints":null}`, `{"fingerprints":{}}`, `"f"`, `{"fingerprints":[null]}`, `1`)

// brokenEntry returns the entry with one fault.
func (d *draft) brokenEntry(entry spec.Value) spec.Value {
	names := entry.Get("workers").Items()
	switch d.below(7) {
	case 0:
		return entry.Without(pick(d.dice, entry.Members()).Name)
	case 1:
		m := pick(d.dice, entry.Members())
		return entry.With(m.Name, d.wrong(m.Value.Kind()))
	case 2:
		return entry.With("count", pick(d.dice, numbers("0", "-1", "2.5", "9007199254740992")))
	case 3:
		return entry.With("count", spec.IntValue(len(names)-1))
	case 4:
		return entry.With("workers", spec.ArrayValue())
	case 5:
		return entry.With("workers", spec.ArrayValue(names[0], names[0])).With("count", spec.IntValue(9))
	default:
		return entry.With("workers", spec.ArrayValue(d.wrong(spec.String)))
	}
}
