package differ

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// WriteText writes the differences, for lines of that many columns.
func WriteText(w io.Writer, s *Search, list []Difference, width int) error {
	var b strings.Builder
	for i, side := range s.sides {
		fmt.Fprintf(&b, "%c  %s\n", 'A'+i, words.Cut(words.Line(side.Name), width-3))
	}
	b.WriteByte('\n')
	for _, d := range list {
		fmt.Fprintf(&b, "%c alone speaks, by the rule %s\n", 'A'+d.speaker, words.Line(d.Kind))
		fmt.Fprintf(&b, "  after %s, from %s%s:\n", plural(len(d.Events), "event"), words.Line(d.From), others(d.Times))
		writeEvents(&b, d.Events, width)
		fmt.Fprintf(&b, "  %s\n\n", words.Cut("said: "+words.Line(d.Verdict.String()), width-2))
	}
	if len(list) == 0 {
		b.WriteString("No difference was seen.\n")
	}
	fmt.Fprintf(&b, "%s shown to both", plural(s.Traces, "trace"))
	if s.Refused > 0 {
		fmt.Fprintf(&b, "; %d that one of them refuses", s.Refused)
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

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// writeEvents writes each event once where several that are equal follow one another.
func writeEvents(b *strings.Builder, events []spec.Value, width int) {
	for i := 0; i < len(events); {
		text, times := events[i].String(), 1
		for i+times < len(events) && events[i+times].String() == text {
			times++
		}
		line := words.Line(text)
		if times > 1 {
			line = fmt.Sprintf("%d × %s", times, line)
		}
		fmt.Fprintf(b, "    %s\n", words.Cut(line, width-4))
		i += times
	}
}

// jsonDifference is a difference as a program reads it.
type jsonDifference struct {
	Speaks  string       `json:"speaks"`
	Silent  string       `json:"silent"`
	Kind    string       `json:"kind"`
	Events  []spec.Value `json:"events"`
	Verdict spec.Value   `json:"verdict"`
	From    string       `json:"from"`
	Times   int          `json:"times"`
}

// WriteJSON writes the differences for programs, whole.
func WriteJSON(w io.Writer, s *Search, list []Difference) error {
	differences := []jsonDifference{}
	for _, d := range list {
		differences = append(differences, jsonDifference{
			d.Speaks.Name, d.Silent.Name, d.Kind, d.Events, d.Verdict, d.From, d.Times,
		})
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(map[string]any{
		"a": s.sides[0].Name, "b": s.sides[1].Name, "traces": s.Traces, "refused": s.Refused, "differences": differences,
	})
	if err == nil {
		_, err = w.Write(words.VisibleJSON(text.Bytes()))
	}
	return err
}
