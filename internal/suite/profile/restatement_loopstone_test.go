package profile_test

import (
	"slices"
	"strings"
)

// restateLoopstone looks at calls that do not wait: at each call, at those in a row, and at each answer, at the answered
// ones.
func restateLoopstone(p *past) say {
	if p.calledJustNow() && !waits(p.fresh) && !scrolls(p.fresh) {
		if tail(slices.DeleteFunc(slices.Clone(p.calls), waits), (*done).sameCall) >= 8 {
			return say{"again", "stuck"}
		}
	}
	if !p.answeredJustNow() {
		return say{}
	}
	from := len(p.results) - 1
	for from > 0 && !(p.results[from].ok && changesFile(p.results[from])) {
		from--
	}
	sinceChange := p.results[from:]
	if s := restateRepeats(p, sinceChange); s != (say{}) {
		return s
	}
	failures := 0
	for _, d := range sinceChange[max(0, len(sinceChange)-20):] {
		if !p.fresh.ok && d.tool == p.fresh.tool && d.sameText(p.fresh) {
			failures++
		}
	}
	if failures >= 3 {
		return say{"failing", "nudge"}
	}
	return say{}
}

// restateRepeats looks for equal answered calls: three among five since a file was changed, or six of nine that are each
// among the fifty calls before it.
func restateRepeats(p *past, sinceChange []*done) say {
	if waits(p.fresh) {
		return say{}
	}
	same := func(a, b *done) bool { return a.sameCall(b) && a.sameText(b) }
	recent, times := slices.DeleteFunc(slices.Clone(sinceChange), waits), 0
	for _, d := range recent[max(0, len(recent)-5):] {
		if same(d, p.fresh) {
			times++
		}
	}
	if times >= 3 {
		return say{"repeated", "stuck"}
	}
	all := slices.DeleteFunc(slices.Clone(p.results), waits)
	madeBefore := func(i int) bool {
		return slices.ContainsFunc(all[max(0, i-50):i], func(d *done) bool { return same(d, all[i]) })
	}
	revisits := 0
	for i := max(0, len(all)-9); i < len(all); i++ {
		if madeBefore(i) {
			revisits++
		}
	}
	if revisits >= 6 && madeBefore(len(all)-1) {
		return say{"revisited", "stuck"}
	}
	return say{}
}

// waits reports whether a call passes time.
func waits(d *done) bool {
	command, _ := d.call.Args.Get("command").Str()
	return slices.ContainsFunc([]string{"wait", "sleep", "pause"}, func(name string) bool { return strings.Contains(d.tool, name) }) ||
		anyOf("sleep 1", "sleep 2", "sleep 3", "sleep 5", "sleep 10", "sleep 15", "sleep 20", "sleep 30", "sleep 60")(command)
}

// scrolls reports whether a call goes on in what it shows, or asks how far something is.
func scrolls(d *done) bool {
	command, _ := d.call.Args.Get("command").Str()
	return slices.ContainsFunc([]string{"scroll", "page", "poll"}, func(name string) bool { return strings.Contains(d.tool, name) }) ||
		anyOf("scroll_down", "scroll_up", "scroll_down\n", "scroll_up\n")(command)
}

func changesFile(d *done) bool {
	command, _ := d.call.Args.Get("command").Str()
	return strings.HasPrefix(d.tool, "str_replace") && anyOf("create", "str_replace", "insert")(command) ||
		anyOf("write_file", "write_to_file", "write", "Write", "edit_file", "edit", "Edit", "MultiEdit", "NotebookEdit",
			"replace", "replace_in_file", "search_and_replace", "insert_content", "apply_patch", "apply_diff",
			"create_file")(d.tool)
}
