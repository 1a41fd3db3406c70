package score

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// WriteText writes the differences, for lines of that many columns.
func (d *Differ) WriteText(w io.Writer, list []Difference, width int) error {
	var b strings.Builder
	for i, side := range d.sides {
		fmt.Fprintf(&b, "%c  %s\n", 'A'+i, wording.Cut(wording.Line(side.Name()), width-3))
	}
	b.WriteByte('\n')
	for _, each := range list {
		fmt.Fprintf(&b, "only %c reports a loop (rule %s)\n", 'A'+each.speaker, wording.Line(each.Kind))
		fmt.Fprintf(&b, "  after %s, from %s%s:\n", wording.Count(len(each.Events), "event"), wording.Line(each.From),
			others(each.Times))
		writeEvents(&b, each.Events, width)
		fmt.Fprintf(&b, "  %s\n\n", wording.Cut("verdict: "+wording.Line(each.Verdict.String()), width-2))
	}
	if len(list) == 0 {
		b.WriteString("No difference was seen.\n")
	}
	fmt.Fprintf(&b, "%s shown to both", wording.Count(d.Traces, "trace"))
	for _, other := range []struct {
		traces int
		what   string
	}{
		{d.Refused - d.Both, "that one of them refuses"},
		{d.Both, "that both refuse"},
		{d.Empty, "without events"},
	} {
		if other.traces > 0 {
			fmt.Fprintf(&b, "; %d %s", other.traces, other.what)
		}
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

func others(times int) string {
	if times == 1 {
		return ""
	}
	return fmt.Sprintf(" and %d more", times-1)
}

// writeEvents writes each event once where several that are equal follow one another.
func writeEvents(b *strings.Builder, events []spec.Value, width int) {
	for i := 0; i < len(events); {
		text, times := events[i].String(), 1
		for i+times < len(events) && events[i+times].String() == text {
			times++
		}
		line := wording.Line(text)
		if times > 1 {
			line = fmt.Sprintf("%d × %s", times, line)
		}
		fmt.Fprintf(b, "    %s\n", wording.Cut(line, width-4))
		i += times
	}
}

// WriteJSON writes the differences for programs, whole.
func (d *Differ) WriteJSON(w io.Writer, list []Difference) error {
	return writeJSON(w, map[string]any{
		"a": d.sides[0].Name(), "b": d.sides[1].Name(), "traces": d.Traces, "refused": d.Refused, "refused_by_both": d.Both,
		"empty": d.Empty, "differences": list,
	})
}
