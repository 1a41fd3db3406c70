package pages

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// change is a small change of a round of a loop. Its number tells it from the other changes of the loop.
type change struct {
	Name string
	of   func(round []spec.Value, number int) []spec.Value
}

// loop is what detectors are to report, with the small changes that may silence them, in the order of the table.
type loop struct {
	Detectors []string
	Round     []spec.Value
	Changes   []change
}

// loopOfCalls is the same failing call, each in a reply of its own.
func loopOfCalls() loop { return loop{sideBySide(), slices.Concat(one(reply), failing), ofCalls} }

// loopOfText is a line of one answer, again and again.
func loopOfText() loop {
	return loop{ofStreams(), one(delta("I will run the same command again and read its result.\n")), ofText}
}

func delta(text string) spec.Value { return event("delta", "channel", "answer", "text", text) }

// unchanged is the loop itself.
func (l loop) unchanged() Situation {
	return Situation{Stuck: true, Rounds: mostRounds, Round: always(l.Round)}
}

var ofCalls = []change{
	{"extra space in an argument", inArgument(func(text string, n int) string { return text + strings.Repeat(" ", n) })},
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

var ofText = []change{
	{"a number in it", inText(func(text string, n int) string { return fmt.Sprint(n, ": ", text) })},
	{
		"another line after it",
		inText(func(text string, n int) string { return fmt.Sprintf("%sStep %d begins.\n", text, n) }),
	},
	{"a code fence after it", inText(func(text string, _ int) string { return text + "```\n" })},
	{"a call after it", func(round []spec.Value, n int) []spec.Value {
		return slices.Concat(round, step("read_file", "path", fmt.Sprint("f", n), "text"), one(reply))
	}},
}

// inText changes the piece of text.
func inText(edit func(text string, number int) string) func([]spec.Value, int) []spec.Value {
	return func(round []spec.Value, n int) []spec.Value {
		return replaced(round, 0, func(piece spec.Value) spec.Value {
			text, _ := piece.Get("text").Str()
			return piece.With("text", spec.StringValue(edit(text, n)))
		})
	}
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
func (c change) everyNth(l loop, n int) Situation {
	s := l.unchanged()
	s.Round = func(i int) []spec.Value {
		if (i+1)%n != 0 {
			return l.Round
		}
		return c.of(l.Round, (i+1)/n)
	}
	return s
}

// evasion is a detector, or several that are silenced alike, and for each change how seldom it may come to silence it.
type evasion struct {
	Names []string
	Every []int // each n-th round; 0 where the change of each round does not silence it
}

// seldom says how seldom a change may come.
func seldom(n int) string {
	switch n {
	case 0:
		return "–"
	case 1:
		return "each"
	default:
		return fmt.Sprintf("1 in %d", n)
	}
}

// evasions tries all changes on the loop, for each detector: of each second round, of each third, and so on. A detector
// that does not report the loop itself is left out, and named.
func (l loop) evasions(ctx context.Context) (list []evasion, silent []string, err error) {
	contenders, err := score.Choice{Detectors: l.Detectors}.Of(ctx, reference.Port(), "")
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
		e, reported, err := l.evaded(ctx, c, p)
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

// evaded searches for the changes that silence a detector, and says whether it reports the loop without any.
func (l loop) evaded(ctx context.Context, c score.Contender, p profile.Profile) (e evasion, reported bool, err error) {
	a, err := asked(ctx, c, p, l.unchanged())
	if err != nil || a.Most == silent {
		return e, false, err
	}
	e.Names = []string{c.Name()}
	for _, change := range l.Changes {
		n := mostRounds
		for ; n > 0; n-- {
			a, err := asked(ctx, c, p, change.everyNth(l, n))
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

// The lines of docs/dev/evasions.md between which the table of evasions stands.
const (
	evasionBegin = "<!-- begin: written by make evasions -->\n"
	evasionEnd   = "<!-- end -->\n"
)

//go:embed evasions.md.tmpl
var evasionsText string

var evasionsPage = template.Must(template.New("evasions").
	Funcs(template.FuncMap{"join": strings.Join, "fill": fill}).Parse(evasionsText))

// evasions is the table of a loop.
type evasions struct {
	Changes []change
	Rows    []evasion
	Columns []column
	Silent  []string // the detectors without a row
}

// column is a change, or several that silence every detector alike, with a cell for each row.
type column struct{ Names, Cells []string }

// table returns the table of the loop.
func (l loop) table(ctx context.Context) (t evasions, err error) {
	t.Changes = l.Changes
	t.Rows, t.Silent, err = l.evasions(ctx)
	for k, c := range l.Changes {
		cells := lists.Map(t.Rows, func(e evasion) string { return seldom(e.Every[k]) })
		i := slices.IndexFunc(t.Columns, func(other column) bool { return slices.Equal(other.Cells, cells) })
		if i < 0 {
			t.Columns = append(t.Columns, column{Cells: cells})
			i = len(t.Columns) - 1
		}
		t.Columns[i].Names = append(t.Columns[i].Names, c.Name)
	}
	return t, err
}

// tables returns the tables of today: of the loop of calls, and of the loop of text.
func tables(ctx context.Context) ([]evasions, error) {
	calls, err := loopOfCalls().table(ctx)
	if err != nil {
		return nil, err
	}
	text, err := loopOfText().table(ctx)
	return []evasions{calls, text}, err
}

// withEvasions returns docs/dev/evasions.md with tables.
func withEvasions(page []byte, tables []evasions) ([]byte, error) {
	before, rest, found := bytes.Cut(page, []byte(evasionBegin))
	_, after, ended := bytes.Cut(rest, []byte(evasionEnd))
	if !found || !ended {
		return nil, fmt.Errorf("the page has no place for the tables: want the lines %q and %q", evasionBegin, evasionEnd)
	}
	var b bytes.Buffer
	err := evasionsPage.Execute(&b, tables)
	return slices.Concat(before, []byte(evasionBegin), b.Bytes(), []byte(evasionEnd), after), err
}
