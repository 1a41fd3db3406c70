package agentlogs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/spec"
)

// SolaST is the name of the layout of github.com/sola-st/llm-agents-study: for each agent a folder of actions and one
// of results, and in each a file per run, whose blocks begin with "Action at iteration N:" and "Result at iteration
// N:".
const SolaST = "sola-st"

// solaSTRun is where one run of the layout stands.
type solaSTRun struct {
	Agent   string // the name of the agent's folder
	Name    string // without "experiment_N_", as the labels name it
	Actions string // a file
	Results string // a file; it may be missing
	Thought string // a file of what the model thought before each action; it may be missing
	Labels  string // a file of how each action but the first relates to the one before; it may be missing
}

// solaSTRuns lists the runs of a folder, by agent and file; none where it is not of the layout.
func solaSTRuns(folder string) ([]solaSTRun, error) {
	actions, err := fs.Glob(os.DirFS(folder), "trajectories/*/parsed/action*_actions/*")
	if err != nil {
		return nil, fmt.Errorf("look for trajectories in %s: %w", folder, err)
	}
	var runs []solaSTRun
	for _, action := range actions {
		path := filepath.Join(folder, filepath.FromSlash(action))
		if info, err := os.Stat(path); err != nil || info.IsDir() || strings.HasPrefix(filepath.Base(path), ".") {
			continue
		}
		parsed := filepath.Dir(filepath.Dir(path))
		agent, name := filepath.Base(filepath.Dir(parsed)), strings.TrimSuffix(filepath.Base(path), ".txt")
		name = experiment.ReplaceAllString(name, "")
		runs = append(runs, solaSTRun{
			Agent:   agent,
			Name:    name,
			Actions: path,
			Results: filepath.Join(parsed, "results_actions", filepath.Base(path)),
			Thought: filepath.Join(parsed, "thoughts_actions", filepath.Base(path)),
			Labels:  filepath.Join(folder, agent+"_csv", "action_action", name+".csv"),
		})
	}
	return runs, nil
}

var experiment = regexp.MustCompile(`^experiment_\d+_`)

// readSolaST hands on the events of one run: a call for each action, with the thought before it, and its result where
// there is one. An action is JSON or a Python literal with a name and arguments; any other text is a call of a tool of
// that name.
func readSolaST(ctx context.Context, run solaSTRun, sink Sink) error {
	actions, err := readBlocks(ctx, run.Actions, actionHead)
	if err != nil {
		return err
	}
	results, noResults := readBlocks(ctx, run.Results, resultHead)
	thoughts, noThoughts := readBlocks(ctx, run.Thought, thoughtHead)
	labels, noLabels := userfiles.Read(ctx, run.Labels, mostBytes)
	for _, missing := range []error{noResults, noThoughts, noLabels} {
		if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
			return missing
		}
	}
	r := &Run{Name: run.Agent + "/" + run.Name, Source: run.Actions, Format: SolaST, Agent: run.Agent}
	if noLabels == nil {
		r.Relations = relations(string(labels))
	}
	if noResults != nil {
		sink.Note(Note{Run: r, Text: "has no file of results, so no result is known"})
	} else {
		sink.Note(Note{Run: r, Text: "does not say whether a call failed"})
	}
	if len(actions) == 0 {
		return fmt.Errorf("%s: no block begins with \"Action at iteration\"", run.Actions)
	}
	s := solaST{run: r, sink: sink, results: results, thoughts: thoughts}
	for i, action := range actions {
		if err := s.step(i, action); err != nil {
			return err
		}
	}
	return nil
}

// relations returns the labels of a file: one a line, below the head.
func relations(text string) []string {
	return lists.Map(strings.Split(strings.TrimSpace(text), "\n")[1:], strings.TrimSpace)
}

// solaST is a run that is being handed on.
type solaST struct {
	run      *Run
	sink     Sink
	results  []block
	thoughts []block
}

func (s *solaST) step(i int, action block) error {
	id := strconv.Itoa(i)
	tool, args := s.call(action)
	call := spec.ObjectValue(textMember("type", string(spec.ToolCall)), textMember("tool", tool),
		spec.Member{Name: "args", Value: args}, textMember("id", id))
	sameStep := func(b block) bool { return b.number == action.number }
	if thought, there := lists.Find(s.thoughts, sameStep); there {
		call = call.With("thought", spec.StringValue(thought.upTo(nextAction)))
	}
	if err := s.emit(call, action); err != nil {
		return err
	}
	result, there := lists.Find(s.results, sameStep)
	if !there {
		return nil
	}
	answer := spec.ObjectValue(textMember("type", string(spec.ToolResult)),
		textMember("content", result.upTo(nextStep)), textMember("call", id))
	return s.emit(answer, result)
}

func (s *solaST) emit(v spec.Value, from block) error {
	return s.sink.Event(Event{Run: s.run, Value: v, Place: Place{Line: from.line}})
}

// call returns the tool and the arguments of an action.
func (s *solaST) call(action block) (string, spec.Value) {
	v, err := readLiteral(action.text)
	name, named := v.Get("name").Str()
	if err != nil || !named {
		if strings.HasPrefix(action.text, "{") {
			s.sink.Note(Note{
				Run: s.run, Place: Place{Line: action.line},
				Text: "an action that is neither JSON nor a Python literal was taken as plain text",
			})
		}
		return action.text, spec.ObjectValue()
	}
	args := v.Get("args")
	if args.IsAbsent() {
		args = v.Get("arguments")
	}
	return name, asObject(args)
}

// literalToken is a text or a word of a Python literal.
var literalToken = regexp.MustCompile(`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[A-Za-z]+`)

// readLiteral reads JSON, or what Python prints for a value of JSON: its texts and words are written as those of JSON.
func readLiteral(text string) (spec.Value, error) {
	if v, err := spec.ParseValue([]byte(text)); err == nil {
		return v, nil
	}
	words := map[string]string{"True": "true", "False": "false", "None": "null"}
	return spec.ParseValue([]byte(literalToken.ReplaceAllStringFunc(text, func(token string) string {
		if token[0] == '\'' || token[0] == '"' {
			return spec.StringValue(unescaped(token[1 : len(token)-1])).String()
		}
		return cmp.Or(words[token], token)
	})))
}

// unescaped returns the text that Python writes so. Half of a surrogate pair is no character, and stays as its escape.
func unescaped(text string) string {
	var b strings.Builder
	for text != "" {
		if strings.HasPrefix(text, `\'`) || strings.HasPrefix(text, `\"`) {
			text = text[1:]
		}
		r, _, rest, err := strconv.UnquoteChar(text, 0)
		if err != nil {
			r, rest = rune(text[0]), text[1:]
		}
		b.WriteRune(r)
		text = rest
	}
	return b.String()
}

// asObject returns arguments as an object: their text is read, and what is no object is the member arguments of one.
func asObject(args spec.Value) spec.Value {
	read := args
	if text, ok := args.Str(); ok {
		if v, err := readLiteral(text); err == nil {
			read = v
		}
	}
	switch {
	case args.IsAbsent():
		return spec.ObjectValue()
	case read.Kind() == spec.Object:
		return read
	default:
		return spec.ObjectValue(spec.Member{Name: "arguments", Value: args})
	}
}

// block is the part of a file from one heading to the next.
type block struct {
	number, line int
	text         string
}

var (
	actionHead  = regexp.MustCompile(`(?im)^Action at iteration ?(\d+) ?: ?`)
	thoughtHead = regexp.MustCompile(`(?im)^(?:Thought (?:and Action )?at )?Iteration ?(\d+) ?: ?(?:Thought=)?`)
	resultHead  = regexp.MustCompile(`(?im)^Result at iteration ?(\d+) ?: ?`)

	// nextStep is where a result ends and the study's file goes on with the next step: its number would make every
	// result another one.
	nextStep = regexp.MustCompile(`(?im); ?Next action\b|(?:^|; ?)Action at iteration ?\d+ ?:`)
	// nextAction is where a thought ends and the action follows that it led to.
	nextAction = regexp.MustCompile(`(?im); ?Action=|^Action at iteration ?\d+ ?:`)
	lastRule   = regexp.MustCompile(`\n?---\s*$`)
)

// upTo returns the text of the block up to what an expression finds, if it does.
func (b block) upTo(end *regexp.Regexp) string {
	text := b.text
	if at := end.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	return strings.TrimSpace(lastRule.ReplaceAllString(text, ""))
}

func readBlocks(ctx context.Context, path string, head *regexp.Regexp) ([]block, error) {
	content, err := userfiles.Read(ctx, path, mostBytes)
	if err != nil {
		return nil, err
	}
	text := bytesApart(strings.ReplaceAll(string(content), "\r\n", "\n"))
	heads := head.FindAllStringSubmatchIndex(text, -1)
	blocks := make([]block, len(heads))
	line, from := 1, 0
	for i, h := range heads {
		line, from = line+strings.Count(text[from:h[0]], "\n"), h[0]
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		number, err := strconv.Atoi(text[h[2]:h[3]])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if i > 0 && number <= blocks[i-1].number {
			return nil, fmt.Errorf("%s:%d: the number %d comes after %d", path, line, number, blocks[i-1].number)
		}
		blocks[i] = block{number, line, strings.TrimSpace(text[h[1]:end])}
	}
	return blocks, nil
}

// bytesApart returns a text in which each byte that is not UTF-8 stands as an escape, so that different texts stay so.
func bytesApart(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, text[i])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
