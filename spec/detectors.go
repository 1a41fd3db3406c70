package spec

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
)

// DetectorID names a detector of the specification.
type DetectorID string

// The detectors.
const (
	Fingerprint DetectorID = "fingerprint"
	Signature   DetectorID = "signature"
	History     DetectorID = "history"
	Crow        DetectorID = "crow"
	Swarm       DetectorID = "swarm"
	Ralph       DetectorID = "ralph"
	Guards      DetectorID = "guards"
	Composed    DetectorID = "composed"
	Stream      DetectorID = "stream"
)

// VerdictKind names the rule that gave the verdict. No two detectors have a kind of the same name.
type VerdictKind string

// The kinds of verdict. The rows of the table say which detector has which.
const (
	KindExact       VerdictKind = "exact"
	KindFuzzy       VerdictKind = "fuzzy"
	KindTestFix     VerdictKind = "test_fix"
	KindBashCascade VerdictKind = "bash_cascade"
	KindSummary     VerdictKind = "summary"

	KindSignature VerdictKind = "signature"

	KindRepeat    VerdictKind = "repeat"
	KindToolLimit VerdictKind = "tool_limit"
	KindFirstWord VerdictKind = "first_word"

	KindRepeatingAction VerdictKind = "repeating_action"
	KindRepeatingError  VerdictKind = "repeating_error"
	KindMonologue       VerdictKind = "monologue"
	KindAlternating     VerdictKind = "alternating"
	KindContextError    VerdictKind = "context_error"

	KindGlobal VerdictKind = "global"

	KindSimilar VerdictKind = "similar"

	KindMaxIterations     VerdictKind = "max_iterations"
	KindMaxRuntime        VerdictKind = "max_runtime"
	KindLoopDetection     VerdictKind = "loop_detection"
	KindConsecutiveErrors VerdictKind = "consecutive_errors"

	KindRun      VerdictKind = "run"
	KindAmong    VerdictKind = "among"
	KindCycle    VerdictKind = "cycle"
	KindPeriodic VerdictKind = "periodic"
	KindStreak   VerdictKind = "streak"
	KindRevisit  VerdictKind = "revisit"

	KindTail  VerdictKind = "tail"
	KindChunk VerdictKind = "chunk"
	KindLines VerdictKind = "lines"
)

// detectors is the table of all facts about each detector except its rules, in the order of reports. Schemas, laws,
// generators and the floor read it; no other place repeats these facts.
var detectors = []Definition{
	{
		ID: Fingerprint, Prefix: "FP", Title: "identical or similar tool calls in a row, with nudges",
		Documents: []string{"D1"}, Readings: []Reading{Text},
		Features:  []Feature{Messages, Layout, Functions, State, Snapshots, Evidence, Replies},
		Functions: map[string]Feature{"fingerprint.compute": Functions, "fingerprint.nudge": Functions},
		Observes:  []EventType{ToolCall, ToolResult, Message, TestRun},
		Settings: []Parameter{
			threshold("threshold", 3, "Identical calls in a row that are a loop.").For(KindExact),
			threshold("fuzzy_threshold", 4, "Calls of one fingerprint in a row that are a loop.").For(KindFuzzy),
			window("window", 10, "How many tool calls are looked at; no count passes it.").For(KindExact, KindFuzzy),
			threshold("test_failures", 3, "Failed test runs in a row that are a loop.").For(KindTestFix),
			threshold("bash_failures", 3, "Failed commands in a row that are a loop.").For(KindBashCascade),
			threshold("text_turns", 2, "Turns without a tool call in a row that are a loop.").For(KindSummary),
		},
		Rules: []Rule{
			{
				Kind: KindExact, Clauses: []string{"FP-18"}, Counts: calls,
				Required: []string{"count", "severity"}, Optional: []string{"tool", "message"},
			},
			{
				Kind: KindFuzzy, Clauses: []string{"FP-19"}, Counts: calls,
				Required: []string{"count", "severity"}, Optional: []string{"tool", "message"},
			},
			{
				Kind: KindTestFix, Clauses: []string{"FP-29"}, Counts: []EventType{TestRun}, Unwindowed: true,
				Required: counted, Optional: told,
			},
			{
				Kind: KindBashCascade, Clauses: []string{"FP-31"}, Counts: []EventType{ToolResult}, Unwindowed: true,
				Required: counted, Optional: told, FreeText: true,
			},
			{
				Kind: KindSummary, Clauses: []string{"FP-36"}, Counts: []EventType{Message}, Unwindowed: true,
				Required: counted, Optional: told, FreeText: true,
			},
		},
		Quiet: []string{"count"},
	},
	{
		ID: Signature, Prefix: "SG", Title: "repeated signatures of outputs",
		Documents: []string{"D2"}, Readings: []Reading{Code, Text},
		Features:  []Feature{Functions, Snapshots, Evidence, Replies},
		Functions: map[string]Feature{"signature.extract": Functions, "signature.report": Functions},
		Observes:  []EventType{Output},
		Cut:       50,
		Settings: []Parameter{
			threshold("threshold", 3, "Equal signatures that are a loop."),
			window("window", 5, "How many signatures are kept."),
		},
		Rules: []Rule{
			{Kind: KindSignature, Clauses: []string{"SG-4"}, Counts: outputs, Required: []string{"count", "signature"}},
		},
		Quiet: []string{"count", "signature"},
	},
	{
		ID: History, Prefix: "HI", Title: "repeated hashes of tool calls within a window",
		Documents: []string{"D3", "D4"}, Readings: []Reading{Code},
		Features:  []Feature{Hashes, Mitigations, Snapshots, Evidence, IntFloat, Replies},
		Functions: map[string]Feature{"history.hash": Hashes},
		Observes:  []EventType{ToolCall},
		Settings: []Parameter{
			threshold("repeat_threshold", 3, "Equal calls in the window that are a loop.").For(KindRepeat),
			window("history_size", 20, "How many calls the window holds."),
			{
				Name: "normalize", Kind: Array, Of: String, Use: Option, Needs: Mitigations, Default: ArrayValue(),
				Rules: []VerdictKind{KindRepeat}, Doc: "Tools whose calls are all the same, whatever their arguments.",
			},
			{
				Name: "tool_limits", Kind: Object, Of: Number, Use: Limit, Least: 1, Needs: Mitigations,
				Default: ObjectValue(), Rules: []VerdictKind{KindToolLimit},
				Doc: "For a tool, how many calls the window may hold before it is a loop.",
			},
			{
				Name: "first_word_threshold", Kind: Number, Use: Threshold, Least: 1,
				Needs: Mitigations, Rules: []VerdictKind{KindFirstWord},
				Doc: "Calls of one tool in the window whose commands begin with the same word that are a loop; off without it.",
			},
		},
		Rules: []Rule{
			{Kind: KindRepeat, Clauses: []string{"HI-13"}, Counts: calls, Required: counted},
			{Kind: KindToolLimit, Clauses: []string{"HI-19"}, Counts: calls, Only: "tool_limits", Required: counted},
			{
				Kind: KindFirstWord, Clauses: []string{"HI-20"}, Counts: calls, Only: "first_word_threshold",
				Required: counted,
			},
		},
		Quiet: []string{"count"},
	},
	{
		ID: Crow, Prefix: "CR", Title: "five patterns over recent events",
		Documents: []string{"D5"}, Readings: []Reading{Code, Text},
		Features:  []Feature{Functions, AI, Snapshots, Evidence, IntFloat, Replies},
		Functions: map[string]Feature{"crow.recovery": Functions, "crow.ai_prompt": AI, "crow.ai_parse": AI},
		Observes:  []EventType{ToolCall, ToolResult, ErrorEvent, Message},
		Settings: []Parameter{
			{
				Name: "recent", Kind: Number, Use: Window, Default: IntValue(20),
				Defaults: map[Reading]Value{Text: IntValue(50)},
				Doc:      "How many of the last events are looked at, 0 for all; 20 in the reading code, 50 in the reading text.",
			},
			number(Interval, "check_every", 1, "The rules are checked at every so many events."),
			{
				Name: "threshold_cycles", Kind: Number, Use: Threshold, Least: 1, Default: IntValue(3),
				Readings: []Reading{Code}, Doc: "D5's threshold; in the reading code only.",
			},
		},
		Rules: []Rule{
			{Kind: KindRepeatingAction, Clauses: []string{"CR-22", "CR-39"}, Counts: answers, Required: described},
			{
				Kind: KindRepeatingError, Clauses: []string{"CR-24", "CR-40"}, Counts: []EventType{ErrorEvent},
				Required: described,
			},
			{
				Kind: KindMonologue, Clauses: []string{"CR-25", "CR-41"}, Counts: []EventType{Message},
				Required: described,
			},
			{Kind: KindAlternating, Clauses: []string{"CR-28", "CR-43"}, Counts: answers, Required: described},
			{
				Kind: KindContextError, Clauses: []string{"CR-30", "CR-45"}, Counts: []EventType{ErrorEvent},
				Required: described,
			},
		},
	},
	{
		ID: Swarm, Prefix: "SW", Title: "the same call by many workers",
		Documents: []string{"D1"}, Readings: []Reading{Text},
		Features:  []Feature{Messages, Merge, Snapshots, Evidence, Replies, Shared},
		Functions: map[string]Feature{"swarm.merge": Merge},
		Observes:  []EventType{ToolCall},
		Demands:   map[EventType][]string{ToolCall: {"worker"}},
		Settings: []Parameter{
			threshold("threshold", 10, "Calls of one fingerprint that are a loop."),
			threshold("min_workers", 2, "How many workers must have made them."),
			{
				Name: "swarm", Kind: String, Use: Option, Needs: Shared,
				Doc: "The name of the swarm, which all sessions with this name are; a swarm of its own without it.",
			},
		},
		Rules: []Rule{{
			Kind: KindGlobal, Clauses: []string{"SW-6"}, Counts: calls,
			Required: []string{"count", "workers"}, Optional: told,
		}},
	},
	{
		ID: Ralph, Prefix: "RA", Title: "similar outputs",
		Documents: []string{"D2"}, Readings: []Reading{Text},
		Features:  []Feature{Functions, Snapshots, Evidence, Replies},
		Functions: map[string]Feature{"ralph.ratio": Functions},
		Observes:  []EventType{Output},
		Settings: []Parameter{
			window("window", 5, "How many earlier outputs are compared with."),
			number(Percent, "similarity", 90, "How similar two outputs must be, in percent."),
		},
		Rules: []Rule{{Kind: KindSimilar, Clauses: []string{"RA-5"}, Counts: outputs, Required: []string{"similarity"}}},
	},
	{
		ID: Guards, Prefix: "GU", Title: "limits on iterations, runtime, loops and errors",
		Documents: []string{"D2", "D3"}, Readings: []Reading{Text},
		Features: []Feature{Snapshots, Evidence, Replies},
		Observes: []EventType{Iteration},
		Cut:      50,
		Settings: []Parameter{
			number(Limit, "max_iterations", off, "Iterations that are a loop; no limit without it.").For(KindMaxIterations),
			number(Limit, "max_runtime_s", off, "Seconds of running that are a loop; no limit without it.").For(KindMaxRuntime),
			threshold("max_consecutive_errors", 3, "Failed iterations in a row that are a loop.").For(KindConsecutiveErrors),
			{
				Name: "signature", Kind: Object, Use: Option, Rules: []VerdictKind{KindLoopDetection},
				Doc: "The detector of signatures that the outputs are shown to.",
				Members: []Parameter{
					{Name: "reading", Kind: String, Use: Option, OneOf: []string{"text", "code"}, Default: StringValue("text")},
					threshold("threshold", 3, ""),
					window("window", 5, ""),
				},
			},
		},
		Rules: []Rule{
			{
				Kind: KindMaxIterations, Clauses: []string{"GU-5"}, Counts: iterations, Only: "max_iterations",
				Required: counted,
			},
			{Kind: KindMaxRuntime, Clauses: []string{"GU-6"}, Counts: iterations, Only: "max_runtime_s"},
			{Kind: KindLoopDetection, Clauses: []string{"GU-7"}, Counts: iterations, Required: counted},
			{Kind: KindConsecutiveErrors, Clauses: []string{"GU-8"}, Counts: iterations, Required: counted},
		},
	},
	{
		ID: Composed, Prefix: "CO", Title: "rules that the configuration composes",
		Documents: []string{"composed"}, Readings: []Reading{Code},
		Features: []Feature{Snapshots, Evidence, Replies},
		Observes: []EventType{ToolCall, ToolResult, ErrorEvent, Message, Reply, Delta},
		Settings: []Parameter{{
			Name: "rules", Kind: Array, Of: Object, Use: Option, Members: composedRule,
			Default: MustParse(`[{}]`), Doc: "The rules, in the order in which they are checked.",
		}},
		Rules: []Rule{
			composedKind(KindRun, "CO-25", composedRungs),
			composedKind(KindAmong, "CO-26", composedRungs),
			composedKind(KindCycle, "CO-31", append(composedRungs, "period")),
			composedKind(KindPeriodic, "CO-47", append(composedRungs, "period")),
			composedKind(KindStreak, "CO-29", composedRungs),
			composedKind(KindRevisit, "CO-44", composedRungs),
		},
		Asks: composedKinds,
	},
	{
		ID: Stream, Prefix: "ST", Title: "text that repeats while it is streamed",
		Documents: []string{"stream"}, Readings: []Reading{Code},
		Features: []Feature{Snapshots, Evidence, Replies},
		Observes: []EventType{Delta, ToolCall, Message, Reply},
		Settings: []Parameter{
			wordsOf("rules", "The rules that judge the text; the first that holds gives the verdict.", "tail", "chunk", "lines"),
			wordsOf("channels", "The channels that are judged.", "answer", "thought", "arguments"),
			wordsOf("fresh", "The events at which every channel starts again.", "user", "call", "reply"),
			size("tail_from", 64, "The shortest period of a tail.").For(KindTail),
			size("tail_to", 1024, "The longest period of a tail.").For(KindTail),
			threshold("tail_copies", 4, "Copies of a period at the end of the text that are a loop.").For(KindTail),
			size("chunk_size", 50, "How many characters a chunk has.").For(KindChunk),
			size("chunk_copies", 10, "Occurrences of a chunk that are judged together.").For(KindChunk),
			size("chunk_distance", 250, "How far apart they may be in the mean.").For(KindChunk),
			size("chunk_texts", 5, "How many different texts may be between them.").For(KindChunk),
			threshold("lines_copies", 5, "Copies of a line in the window that are a loop.").For(KindLines),
			number(Percent, "lines_share", 50, "How much of the window they must make up, in percent.").For(KindLines),
			size("lines_different", 50, "How many of the window's lines may differ, in percent.").For(KindLines),
			threshold("lines_least", 400, "Characters that the window must hold.").For(KindLines),
			size("lines_window", 64000, "Characters that the window holds at most.").For(KindLines),
		},
		Rules: []Rule{
			{Kind: KindTail, Clauses: []string{"ST-8"}, Counts: deltas, Required: []string{"count", "period"}},
			{Kind: KindChunk, Clauses: []string{"ST-10"}, Counts: deltas, Required: counted},
			{Kind: KindLines, Clauses: []string{"ST-16"}, Counts: deltas, Required: counted},
		},
		Asks: streamKinds,
	},
}

// streamKinds returns the rules that a configuration names, all of them where it names none.
func streamKinds(config Value) []VerdictKind {
	names := config.Get("rules")
	if names.IsAbsent() {
		return []VerdictKind{KindTail, KindChunk, KindLines}
	}
	return lists.Map(names.Texts(), func(name string) VerdictKind { return VerdictKind(name) })
}

// wordsOf is a setting that has any of a few words; all of them by default.
func wordsOf(name, doc string, all ...string) Parameter {
	return Parameter{
		Name: name, Kind: Array, Of: String, OneOf: all, Use: Option, Doc: doc,
		Default: StringsValue(all),
	}
}

// What a rule of composed consists of.
var (
	composedRule = []Parameter{
		{Name: "name", Kind: String, Use: Option, Doc: "What verdicts call the rule; its number without it."},
		{
			Name: "same", Kind: Object, Use: Option, Doc: "What an item is, and what makes two of them equal.",
			Members: []Parameter{
				choice("by", "What an item is.", "call", "tool", "step", "speech", "message", "piece"),
				choice("results", "Whether a call awaits its result, and how results are compared.", "none", "text", "any"),
				choice("outcome", "Which results count.", "any", "ok", "failed"),
				size("prefix", off, "How many characters of a result are compared; all without it."),
				choice("key_order", "Whether the order of an object's members counts.", "any", "kept"),
				choice("order", "Whether the order of a step's calls counts.", "kept", "any"),
				list("keep", "Arguments that are compared alone where a call has one of them."),
				list("omit", "Arguments that are not compared."),
				truth("thought", "Whether the thought before a call counts."),
			},
		},
		{Name: "pattern", Kind: Object, Use: Option, Doc: "Which items are counted.", Members: []Parameter{
			choice("sort", "What is counted.", "run", "among", "cycle", "periodic", "streak", "revisit"),
			window("last", 20, "How many items the window of among, streak and revisit holds."),
			size("from", 2, "The shortest period of cycle and periodic."),
			size("to", 5, "The longest period of cycle and periodic."),
			truth("varied", "Whether laps must have different calls."),
			choice("counts", "Whose items among counts.", "current", "highest"),
			truth("full", "Whether among reports only with a full window."),
			size("seconds", off, "The age from which an item of among is not counted; any age without it."),
		}},
		{Name: "tools", Kind: Object, Use: Option, Doc: "Which calls the rule is about.", Members: []Parameter{
			list("only", "The rule sees these calls alone."),
			list("except", "The rule does not see these calls."),
			list("silent", "The rule sees these calls and does not report them."),
			list("watched", "The rule sees all calls and reports only these."),
		}},
		{
			Name: "fresh", Kind: Array, Of: String, OneOf: []string{"user", "reply", "message", "call", "change"}, Use: Option,
			Default: ArrayValue(), Doc: "What makes the rule start again.",
		},
		list("changes", "The calls whose success is a change."),
		choice("judged", "Whether a call is judged after it is recorded or before.", "after", "before"),
		{
			Name: "rungs", Kind: Array, Of: Object, Use: Option, Default: MustParse(`[{}]`),
			Doc: "The ladder, from the lowest rung to the highest.", Members: []Parameter{
				{Name: "name", Kind: String, Use: Option, Doc: "What verdicts call the rung; its number without it."},
				choice("severity", "How grave it is.", "critical", "notice", "warning"),
				threshold("at", 3, "The count at which it is reached."),
				choice("speaks", "How often it reports.", "each", "once", "restart", "stays"),
			},
		},
	}
	composedRungs = []string{"count", "severity", "rule", "rung"}
)

// choice is a setting that has one of a few words; the first is the default.
func choice(name, doc string, words ...string) Parameter {
	return Parameter{Name: name, Kind: String, Use: Option, OneOf: words, Default: StringValue(words[0]), Doc: doc}
}

// list is a setting that has any number of texts.
func list(name, doc string) Parameter {
	return Parameter{Name: name, Kind: Array, Of: String, Use: Option, Default: ArrayValue(), Doc: doc}
}

// truth is a setting that is off by default.
func truth(name, doc string) Parameter {
	return Parameter{Name: name, Kind: Bool, Use: Option, Default: BoolValue(false), Doc: doc}
}

// composedKinds returns the sorts of a configuration's rules, some twice.
func composedKinds(config Value) []VerdictKind {
	rules := config.Get("rules").Items()
	if config.Get("rules").IsAbsent() {
		rules = []Value{ObjectValue()}
	}
	var kinds []VerdictKind
	for _, rule := range rules {
		kind := KindRun
		if sort, named := rule.Get("pattern").Get("sort").Str(); named {
			kind = VerdictKind(sort)
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

func composedKind(kind VerdictKind, clause string, required []string) Rule {
	return Rule{
		Kind: kind, Clauses: []string{clause}, Required: required,
		Counts: []EventType{ToolCall, ToolResult, ErrorEvent, Message, Reply, Delta},
	}
}

// What several rows say.
var (
	calls      = []EventType{ToolCall}
	answers    = []EventType{ToolCall, ToolResult}
	outputs    = []EventType{Output}
	iterations = []EventType{Iteration}
	deltas     = []EventType{Delta}

	counted   = []string{"count"}
	described = []string{"count", "confidence", "pattern", "suggestion"}
	told      = []string{"message"}
)

// off is the default of a number that is off by default.
const off = 0

// number is an integer of at least 1.
func number(use Use, name string, usual int, doc string) Parameter {
	p := Parameter{Name: name, Kind: Number, Use: use, Least: 1, Doc: doc}
	if usual != off {
		p.Default = IntValue(usual)
	}
	return p
}

// threshold is how many events, or workers, make a loop; a lower threshold only finds a loop earlier.
func threshold(name string, usual int, doc string) Parameter {
	return number(Threshold, name, usual, doc)
}

// window is how many events are remembered.
func window(name string, usual int, doc string) Parameter { return number(Window, name, usual, doc) }

// size is a number of which more does not mean fewer loops.
func size(name string, usual int, doc string) Parameter { return number(Option, name, usual, doc) }

// Detectors lists the detectors of the specification, in the order of its reports. The caller may change what a port
// can declare; the rest is shared.
func Detectors() []Definition {
	list := make([]Definition, len(detectors))
	for i := range list {
		list[i] = detectors[i].copied()
	}
	return list
}

// copied returns the row with the lists of its own that a port may cut down.
func (d Definition) copied() Definition {
	d.Readings, d.Features = slices.Clone(d.Readings), slices.Clone(d.Features)
	return d
}

// IsProfile reports whether the id is that of a profile, such as @roo, or of rules that a port's authors wrote down
// themselves: it begins with @. Such a detector is [Composed] with one configuration, which nobody can change.
func (id DetectorID) IsProfile() bool { return strings.HasPrefix(string(id), "@") }

// streamSuffix ends the id of a profile that is a configuration of [Stream]; any other is one of [Composed].
const streamSuffix = "-" + string(Stream)

// Row returns the id of the row of the table that holds for the detector. For a profile, it is the detector that the
// profile configures: [Stream] for @gemini-cli-stream, [Composed] for @gemini-cli.
func (id DetectorID) Row() DetectorID {
	switch {
	case !id.IsProfile():
		return id
	case strings.HasSuffix(string(id), streamSuffix):
		return Stream
	default:
		return Composed
	}
}

// DefinitionOf returns a detector's row of the table and whether the specification has such a detector. The row of a
// profile is that of the detector which it configures ([DetectorID.Row]) without settings, whether or not there is a
// profile of this name.
func DefinitionOf(id DetectorID) (Definition, bool) {
	for i := range detectors {
		if detectors[i].ID != id.Row() {
			continue
		}
		row := detectors[i].copied()
		if id.IsProfile() {
			row.ID, row.Settings, row.Asks = id, nil, nil
		}
		return row, true
	}
	return Definition{}, false
}

// RuleOf returns the rule of this kind, of any detector, and whether it exists.
func RuleOf(kind VerdictKind) (Rule, bool) {
	for _, d := range detectors {
		if rule, ok := lists.Find(d.Rules, func(r Rule) bool { return r.Kind == kind }); ok {
			return rule, true
		}
	}
	return Rule{}, false
}
