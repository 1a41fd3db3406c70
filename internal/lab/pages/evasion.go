package pages

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// change is a small change of a round of a loop. Its number tells it from the other changes of the loop.
type change struct {
	Name string
	of   func(round []spec.Value, number int) []spec.Value
}

// changes are the small changes that may silence a detector, in the order of the table.
var changes = []change{
	{"a blank more in an argument", inArgument(func(text string, n int) string { return text + strings.Repeat(" ", n) })},
	{"a number in an argument", inArgument(func(text string, n int) string { return fmt.Sprint(text, " # ", n) })},
	{"a number in the result", func(round []spec.Value, n int) []spec.Value {
		return replaced(round, len(round)-1, func(result spec.Value) spec.Value {
			text, _ := result.Get("content").Str()
			return result.With("content", spec.StringValue(fmt.Sprint(text, " ", n)))
		})
	}},
	{"another call after it", func(round []spec.Value, n int) []spec.Value {
		return slices.Concat(round, inReplies(step("read_file", "path", fmt.Sprint("f", n), fmt.Sprint("text ", n))))
	}},
	{"an edit after it", func(round []spec.Value, n int) []spec.Value {
		return slices.Concat(round, inReplies(step("write_file", "text", fmt.Sprint("line ", n), "written")))
	}},
	{"a message of the user after it", func(round []spec.Value, _ int) []spec.Value {
		return slices.Concat(round, one(event("message", "role", "user", "content", "go on")))
	}},
}

// inArgument changes the command of the call.
func inArgument(edit func(text string, number int) string) func([]spec.Value, int) []spec.Value {
	return func(round []spec.Value, n int) []spec.Value {
		return replaced(round, len(round)-2, func(call spec.Value) spec.Value {
			text, _ := call.Get("args").Get("command").Str()
			return call.With("args", call.Get("args").With("command", spec.StringValue(edit(text, n))))
		})
	}
}

func replaced(round []spec.Value, i int, edit func(spec.Value) spec.Value) []spec.Value {
	round = slices.Clone(round)
	round[i] = edit(round[i])
	return round
}

// everyNth is the loop with each n-th of its rounds changed.
func (c change) everyNth(loop Situation, n int) Situation {
	round := loop.Round
	loop.Round = func(i int) []spec.Value {
		if (i+1)%n != 0 {
			return round(i)
		}
		return c.of(round(i), (i+1)/n)
	}
	return loop
}

// evasion is a detector, or several that are silenced alike, and for each change how seldom it may come to silence it.
type evasion struct {
	Names []string
	Every []int // each n-th round; 0 where the change of each round does not silence it
}

// Cells returns how seldom each change silences, as the table has it.
func (e evasion) Cells() []string {
	return words.By(e.Every, func(n int) string {
		switch n {
		case 0:
			return "–"
		case 1:
			return "each"
		default:
			return fmt.Sprintf("1 in %d", n)
		}
	})
}

// evasions tries all changes on a loop, for each detector: of each second round, of each third, and so on. A detector
// that does not report the loop itself is left out, and named.
func evasions(ctx context.Context) (list []evasion, silent []string, err error) {
	contenders, err := score.Choice{Detectors: sideBySide()}.Of(ctx, reference.Port(), "")
	if err != nil {
		return nil, nil, err
	}
	for _, c := range contenders {
		var p profile.Profile
		if c.Profile != "" {
			if p, err = profile.ByName(c.Profile[1:]); err != nil {
				return nil, nil, err
			}
		}
		e, reported, err := evaded(ctx, c, p)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.Name(), err)
		}
		i := slices.IndexFunc(list, func(other evasion) bool { return slices.Equal(other.Every, e.Every) })
		switch {
		case !reported:
			silent = append(silent, c.Name())
		case i >= 0:
			list[i].Names = append(list[i].Names, c.Name())
		default:
			list = append(list, e)
		}
	}
	return list, silent, nil
}

// repeated is the loop that is changed: the same failing call, each in a reply of its own.
func repeated() Situation {
	return Situation{Stuck: true, Rounds: mostRounds, Round: always(one(reply), failing)}
}

// evaded searches for the changes that silence a detector, and says whether it reports the loop without any.
func evaded(ctx context.Context, c score.Contender, p profile.Profile) (e evasion, reported bool, err error) {
	a, err := asked(ctx, c, p, repeated())
	if err != nil || a.Most == silent {
		return e, false, err
	}
	e.Names = []string{c.Name()}
	for _, change := range changes {
		n := mostRounds
		for ; n > 0; n-- {
			a, err := asked(ctx, c, p, change.everyNth(repeated(), n))
			if err != nil {
				return e, true, err
			}
			if a.Most == silent {
				break
			}
		}
		e.Every = append(e.Every, n)
	}
	return e, true, nil
}

// The lines of docs/choosing.md between which the table of evasions stands.
const (
	evasionBegin = "<!-- begin: written by make evasions -->\n"
	evasionEnd   = "<!-- end -->\n"
)

// column is a change, or several that silence every detector alike.
type column struct{ names, cells []string }

func columnsOf(list []evasion) (columns []column) {
	for k, c := range changes {
		cells := words.By(list, func(e evasion) string { return e.Cells()[k] })
		i := slices.IndexFunc(columns, func(other column) bool { return slices.Equal(other.cells, cells) })
		if i < 0 {
			columns = append(columns, column{cells: cells})
			i = len(columns) - 1
		}
		columns[i].names = append(columns[i].names, c.Name)
	}
	return columns
}

// WithEvasions returns docs/choosing.md with the table of today.
func WithEvasions(ctx context.Context, page []byte) ([]byte, error) {
	list, silent, err := evasions(ctx)
	if err != nil {
		return nil, err
	}
	before, rest, found := bytes.Cut(page, []byte(evasionBegin))
	_, after, ended := bytes.Cut(rest, []byte(evasionEnd))
	if !found || !ended {
		return nil, fmt.Errorf("the page has no place for the table: want the lines %q and %q", evasionBegin, evasionEnd)
	}
	var b bytes.Buffer
	columns := columnsOf(list)
	b.WriteString("\n| detector |")
	for _, column := range columns {
		b.WriteString(" " + strings.Join(column.names, "; ") + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for i, e := range list {
		fmt.Fprintf(&b, "| %s |", strings.Join(e.Names, ", "))
		for _, column := range columns {
			fmt.Fprintf(&b, " %s |", column.cells[i])
		}
		b.WriteString("\n")
	}
	if len(silent) > 0 {
		fmt.Fprintf(&b, "\n%s\n", fill("No row: "+strings.Join(silent, ", ")+", which do not report this loop."))
	}
	return slices.Concat(before, []byte(evasionBegin), b.Bytes(), []byte("\n"+evasionEnd), after), nil
}
