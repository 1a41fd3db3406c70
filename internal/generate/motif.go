package generate

// letter is one of the few things that happen in a trace. Each call appends one more occurrence: equal to the others by
// every rule, though it may be spelled in another way, or, where it is asked for one that is near, much like them.
type letter func(d *draft, near bool)

// melody is what the motifs of one trace have in common.
type melody struct {
	letters     []letter
	perturbed   bool // another letter stands, at times, where the motif would have its own
	interrupted bool // by resets
}

// motif appends a short arrangement of letters that loop detectors are about, or that looks like one.
func (d *draft) motif(m melody) {
	if d.turns && !d.oneIn(4) {
		d.repeat(m, d.choose(m, 2), false)
		return
	}
	switch d.below(8) {
	case 0, 1, 2:
		d.repeat(m, d.choose(m, 1), false)
	case 3:
		d.repeat(m, d.choose(m, 1), true)
	case 4, 5:
		d.repeat(m, d.choose(m, 2), false)
	case 6:
		d.repeat(m, d.choose(m, d.between(3, 4)), d.oneIn(4))
	default:
		d.noise(m)
	}
}

// choose returns n letters; one of them may be new to the trace, and some may be the same.
func (d *draft) choose(m melody, n int) []letter {
	cycle := make([]letter, n)
	first := d.below(len(m.letters))
	for i := range cycle {
		cycle[i] = m.letters[(first+i)%len(m.letters)]
	}
	if d.oneIn(16) {
		cycle[n-1] = d.world.letter(d)
	}
	return cycle
}

// repeat plays a cycle of letters some rounds long. In near-repeats, every other occurrence is only near.
func (d *draft) repeat(m melody, cycle []letter, near bool) {
	for range d.rounds(len(cycle)) {
		for _, l := range cycle {
			if m.perturbed && d.oneIn(16) {
				l = pick(d.dice, m.letters)
			}
			d.play(m, l, near && d.maybe())
		}
		if len(d.steps) >= d.most {
			return
		}
	}
}

// rounds returns how often a cycle of so many letters is played: about as often as decides something, or any small
// number of times.
func (d *draft) rounds(letters int) int {
	switch {
	case letters == 2 && d.swaps > 0 && !d.oneIn(4):
		return d.swaps + d.below(4) - 1
	case d.maybe():
		return max(pick(d.dice, d.marks)+d.below(4)-1, 1)
	default:
		return d.between(1, 6)
	}
}

// noise plays letters in no order at all.
func (d *draft) noise(m melody) {
	for range d.between(1, 8) {
		d.play(m, pick(d.dice, m.letters), d.oneIn(4))
	}
}

// play appends one occurrence of a letter, and sometimes what is beside the point: another agent's turn, an event that
// does not matter, a reset.
func (d *draft) play(m melody, l letter, near bool) {
	if d.agents > 1 && d.maybe() {
		d.agent = d.below(d.agents)
	}
	l(d, near)
	if d.distracted && d.oneIn(8) {
		d.emit(d.anyEvent())
	}
	if m.interrupted && d.oneIn(8) {
		d.reset()
	}
}
