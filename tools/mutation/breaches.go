package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/tools/mutation/plant"
)

// breach is a named fault against clauses that no small change of a line in the reference breaks: those that package
// spec carries out for all detectors, and those that say what a detector does not do. The cases that cite one of the
// clauses judge it. What a breach leaves nil works as in the reference.
type breach struct {
	clauses string // their ids, with blanks between
	about   string

	open    func(p spec.Port, o opening) (spec.Session, error)
	event   func(spec.Value) spec.Value
	observe func(s *faultySession, events []spec.Value) ([]spec.Value, error)
	verdict func(s *faultySession, now spec.Value) spec.Value
	reset   func(s *faultySession) error
	restore func(s *faultySession, state spec.Value) error
	call    func(function string, args, result spec.Value) spec.Value
	fault   func(error) (spec.Value, error) // of a call that is refused
}

var breaches = []breach{
	{
		clauses: "PR-30 PR-31 FP-4 SG-2 HI-3 HI-17 CR-10 SW-13 RA-2 GU-13 GU-14 CO-4 CO-20 ST-3",
		about:   "opens with the defaults where a configuration is wrong",
		open: func(p spec.Port, o opening) (spec.Session, error) {
			s, err := o.of(p)
			if err != nil {
				o.config = spec.Value{}
				return o.of(p)
			}
			return s, nil
		},
	},
	{
		clauses: "FP-3 SG-2 HI-2 CR-6 CR-7 CR-8 CR-9 SW-12 RA-2 GU-12", about: "has defaults that are one lower",
		open: func(p spec.Port, o opening) (spec.Session, error) {
			if o.config.IsAbsent() {
				o.config = spec.ObjectValue()
			}
			row, _ := spec.DefinitionOf(o.detector)
			for _, setting := range row.SettingsIn(o.reading) {
				usual, isNumber := setting.Usual(o.reading).Int()
				if isNumber && usual > setting.Least && o.config.Get(setting.Name).IsAbsent() {
					o.config = o.config.With(setting.Name, spec.IntValue(usual-1))
				}
			}
			return o.of(p)
		},
	},
	{
		clauses: "CR-7", about: "has the same defaults in both readings",
		open: func(p spec.Port, o opening) (spec.Session, error) {
			if o.config.IsAbsent() {
				o.config = spec.ObjectValue()
			}
			row, _ := spec.DefinitionOf(o.detector)
			for _, setting := range row.SettingsIn(o.reading) {
				if setting.Defaults != nil && o.config.Get(setting.Name).IsAbsent() {
					o.config = o.config.With(setting.Name, setting.Default)
				}
			}
			return o.of(p)
		},
	},
	{
		clauses: "PR-31 FP-4 SG-3 HI-4 HI-17 CR-10 CR-11 SW-14", about: "refuses every configuration",
		open: func(p spec.Port, o opening) (spec.Session, error) {
			if len(o.config.Members()) > 0 {
				return nil, spec.BadConfig(o.config.Members()[0].Name, "it makes no sense")
			}
			return o.of(p)
		},
	},
	{
		clauses: "PR-14 PR-15", about: "gives every event of a batch the last verdict",
		observe: func(s *faultySession, events []spec.Value) ([]spec.Value, error) {
			verdicts, err := s.Session.Observe(context.Background(), events)
			for i := range verdicts {
				verdicts[i] = verdicts[len(verdicts)-1]
			}
			return verdicts, err
		},
	},
	{
		clauses: "PR-16 FP-5 SG-33 HI-5 CR-58 SW-4 SW-15 RA-10 GU-15 CO-39 ST-19", about: "forgets nothing on a reset",
		reset: func(*faultySession) error { return nil },
	},
	{
		clauses: "PR-16 FP-5 SG-33 HI-5 CR-58 SW-15 RA-10 GU-15 CO-39 ST-19",
		about:   "forgets the configuration on a reset, too",
		reset: func(s *faultySession) (err error) {
			s.config = spec.Value{}
			s.Session, err = s.opening.of(s.port)
			return err
		},
	},
	{
		clauses: "PR-26", about: "observes the events before a bad one",
		observe: func(s *faultySession, events []spec.Value) (verdicts []spec.Value, err error) {
			for _, e := range events {
				v, err := s.Session.Observe(context.Background(), []spec.Value{e})
				if err != nil {
					return nil, err
				}
				verdicts = append(verdicts, v...)
			}
			return verdicts, nil
		},
	},
	{
		clauses: "PR-26", about: "forgets the trace where it refuses an event",
		observe: func(s *faultySession, events []spec.Value) ([]spec.Value, error) {
			verdicts, err := s.Session.Observe(context.Background(), events)
			if err != nil {
				return nil, errors.Join(err, s.Session.Reset(context.Background()))
			}
			return verdicts, nil
		},
	},
	{
		clauses: "FP-22", about: "names another tool",
		verdict: func(_ *faultySession, now spec.Value) spec.Value {
			if now.Get("tool").IsAbsent() {
				return now
			}
			return now.With("tool", spec.StringValue("another"))
		},
	},
	{
		clauses: "FP-49", about: "writes a message in one line",
		verdict: func(_ *faultySession, now spec.Value) spec.Value {
			if text, ok := now.Get("message").Str(); ok {
				return now.With("message", spec.StringValue(strings.Join(strings.Fields(text), " ")))
			}
			return now
		},
	},
	{
		clauses: "PR-54", about: "leaves out the last word of a message",
		verdict: func(_ *faultySession, now spec.Value) spec.Value {
			if text, ok := now.Get("message").Str(); ok {
				return now.With("message", withoutLastWord(text))
			}
			return now
		},
		call: func(function string, _, result spec.Value) spec.Value {
			if text, _ := result.Str(); function == "fingerprint.nudge" {
				return withoutLastWord(text)
			}
			return result
		},
	},
	{
		clauses: "PR-50 FP-47 HI-28 CR-48 CR-56 SG-35 SG-36 RA-12 SW-31",
		about:   "returns an empty text where an argument is wrong",
		fault:   func(error) (spec.Value, error) { return spec.StringValue(""), nil },
	},
	{
		clauses: "PR-28 PR-29 PR-44", about: "takes a bad event for one that says nothing",
		observe: func(s *faultySession, events []spec.Value) ([]spec.Value, error) {
			verdicts, err := s.Session.Observe(context.Background(), events)
			if err != nil {
				return slices.Repeat([]spec.Value{noLoop}, len(events)), nil
			}
			return verdicts, nil
		},
	},
	{
		clauses: "PR-33 FP-1 ST-1", about: "says after an event that it ignores what it said before",
		verdict: func(s *faultySession, now spec.Value) spec.Value {
			if now.Equal(noLoop) {
				return s.before
			}
			return now
		},
	},
	{
		clauses: "PR-33 FP-1 ST-1", about: "forgets the trace at an event of a type that it does not know",
		observe: func(s *faultySession, events []spec.Value) (verdicts []spec.Value, err error) {
			d, _ := spec.DefinitionOf(s.detector)
			for _, e := range events {
				if !slices.Contains(d.Observes, spec.TypeOf(e)) {
					err = s.Session.Reset(context.Background())
				}
				v, problem := s.Session.Observe(context.Background(), []spec.Value{e})
				if verdicts, err = append(verdicts, v...), errors.Join(err, problem); err != nil {
					return nil, err
				}
			}
			return verdicts, nil
		},
	},
	{
		clauses: "PR-41", about: "refuses replies",
		observe: func(s *faultySession, events []spec.Value) ([]spec.Value, error) {
			for _, e := range events {
				if spec.TypeOf(e) == spec.Reply {
					return nil, spec.BadEvent("type", "replies are not known")
				}
			}
			return s.Session.Observe(context.Background(), events)
		},
	},
	{
		clauses: "PR-42", about: "takes any thought, cost and tokens",
		event: func(e spec.Value) spec.Value {
			return e.Without("thought").Without("cost_usd").Without("input_tokens").Without("output_tokens")
		},
	},
	{
		clauses: "PR-42", about: "takes the thought for an argument",
		event: func(e spec.Value) spec.Value {
			if thought := e.Get("thought"); thought.Kind() == spec.String {
				return e.With("args", e.Get("args").With("thought", thought))
			}
			return e
		},
	},
	{
		clauses: "ST-22 CR-13 GU-4 HI-15 SW-7", about: "forgets the trace after a loop",
		observe: func(s *faultySession, events []spec.Value) (verdicts []spec.Value, err error) {
			for _, e := range events {
				v, err := s.Session.Observe(context.Background(), []spec.Value{e})
				if err == nil && v[0].Get("loop").IsTrue() {
					err = s.Session.Reset(context.Background())
				}
				if err != nil {
					return nil, err
				}
				verdicts = append(verdicts, v...)
			}
			return verdicts, nil
		},
	},
	{
		clauses: "GU-10 CR-13", about: "goes on saying what it said once there was a loop",
		verdict: func(s *faultySession, now spec.Value) spec.Value {
			if s.before.Get("loop").IsTrue() {
				return s.before
			}
			return now
		},
	},
	{
		clauses: "PR-34 PR-35 FP-42 SG-32 CR-61 CR-62 GU-11",
		about:   "counts the indices of evidence from 1, and has some always",
		verdict: func(_ *faultySession, now spec.Value) spec.Value {
			if !now.Get("loop").IsTrue() {
				return now
			}
			shifted := []spec.Value{spec.IntValue(0)}
			for i, index := range now.Get("evidence").Items() {
				n, _ := index.Int()
				shifted = append(shifted[:i], spec.IntValue(n+1))
			}
			return now.With("evidence", spec.ArrayValue(shifted...))
		},
	},
	{
		clauses: "PR-51 PR-52 FP-43 FP-44 SG-34 HI-25 HI-26 HI-30 CR-59 CR-60 SW-18 SW-23 RA-11 GU-7 GU-16 GU-17 CO-41 CO-42",
		about:   "restores nothing, without a word",
		restore: func(*faultySession, spec.Value) error { return nil },
	},
	{
		clauses: "HI-13 SW-8 CO-32", about: "counts in a byte",
		verdict: func(_ *faultySession, now spec.Value) spec.Value {
			if n, _ := now.Get("count").Int(); n > math.MaxUint8 {
				return noLoop
			}
			return now
		},
	},
	{
		clauses: "CR-35", about: "takes errors and results that failed for results",
		event: func(e spec.Value) spec.Value {
			if spec.TypeOf(e) == spec.ErrorEvent {
				e = e.With("type", spec.StringValue(string(spec.ToolResult))).With("content", e.Get("message"))
			}
			return e.Without("ok")
		},
	},
	{
		clauses: "SG-5", about: "takes line ends for blanks",
		event: func(e spec.Value) spec.Value {
			if text, ok := e.Get("text").Str(); ok {
				return e.With("text", spec.StringValue(strings.ReplaceAll(text, "\n", " ")))
			}
			return e
		},
	},
	{
		clauses: "HI-6", about: "looks at the whole event where it should look at the arguments",
		event: func(e spec.Value) spec.Value {
			return e.With("args", spec.ObjectValue(spec.Member{Name: "event", Value: e}))
		},
	},
	{
		clauses: "CR-21", about: "takes in every event twice",
		observe: func(s *faultySession, events []spec.Value) (verdicts []spec.Value, err error) {
			for _, e := range events {
				v, err := s.Session.Observe(context.Background(), []spec.Value{e, e})
				if err != nil {
					return nil, err
				}
				verdicts = append(verdicts, v[1])
			}
			return verdicts, nil
		},
	},
	{
		clauses: "FP-8 FP-9 FP-13", about: "looks at no arguments",
		event: func(e spec.Value) spec.Value { return e.Without("args") },
		call: func(function string, args, result spec.Value) spec.Value {
			if function == "fingerprint.compute" {
				return args.Get("tool")
			}
			return result
		},
	},
	{
		clauses: "FP-12 FP-14 FP-15", about: "writes fingerprints of files without looking closely",
		call: func(function string, args, result spec.Value) spec.Value {
			tool, _ := args.Get("tool").Str()
			path, hasPath := args.Get("args").Get("path").Str()
			command, _ := args.Get("args").Get("command").Str()
			_, file, reads := strings.Cut(command, "cat ")
			if !strings.HasPrefix(file, "'") {
				file, _, _ = strings.Cut(file, " ")
			}
			switch {
			case function == "fingerprint.compute" && hasPath:
				return spec.StringValue(tool + ":" + path)
			case function == "fingerprint.compute" && reads:
				return spec.StringValue("bash:file_read:" + strings.Trim(file, "'"))
			}
			return result
		},
	},
	{
		clauses: "FP-7 FP-8 FP-9", about: "a fingerprint depends on how arguments are written",
		call: func(function string, args, result spec.Value) spec.Value {
			if function == "fingerprint.compute" {
				return spec.StringValue(args.String())
			}
			return result
		},
	},
}

func withoutLastWord(text string) spec.Value {
	return spec.StringValue(text[:strings.LastIndexAny(text, " \n")])
}

var noLoop = spec.MustParse(`{"loop":false}`)

// broken returns the breaches as mutants: the first has the number -1.
func broken() []plant.Mutant {
	var list []plant.Mutant
	for i, b := range breaches {
		list = append(list, plant.Mutant{
			ID: -i - 1, Package: "breaches", File: "breaches", Function: b.clauses, Change: b.about,
			Clauses: strings.Fields(b.clauses),
		})
	}
	return list
}

// faultyPort is a port with a breach.
type faultyPort struct {
	spec.Port
	breach
}

func (p faultyPort) Open(_ context.Context, id spec.DetectorID, r spec.Reading,
	config spec.Value,
) (spec.Session, error) {
	o := opening{id, r, config}
	open := p.open
	if open == nil {
		open = func(p spec.Port, o opening) (spec.Session, error) { return o.of(p) }
	}
	s, err := open(p.Port, o)
	return &faultySession{s, p.breach, p.Port, o, noLoop}, err
}

func (p faultyPort) Call(ctx context.Context, function string, r spec.Reading, args spec.Value) (spec.Value, error) {
	result, err := p.Port.Call(ctx, function, r, args)
	switch {
	case err == nil && p.call != nil:
		return p.call(function, args, result), nil
	case err != nil && p.fault != nil:
		return p.fault(err)
	}
	return result, err
}

// opening is a request for a session.
type opening struct {
	detector spec.DetectorID
	reading  spec.Reading
	config   spec.Value
}

func (o opening) of(p spec.Port) (spec.Session, error) {
	return p.Open(context.Background(), o.detector, o.reading, o.config)
}

type faultySession struct {
	spec.Session
	breach
	port spec.Port
	opening
	before spec.Value // the latest verdict
}

func (s *faultySession) Observe(ctx context.Context, events []spec.Value) (verdicts []spec.Value, err error) {
	if s.event != nil {
		events = slices.Clone(events)
		for i := range events {
			events[i] = s.event(events[i])
		}
	}
	if s.observe != nil {
		verdicts, err = s.observe(s, events)
	} else {
		verdicts, err = s.Session.Observe(ctx, events)
	}
	for i := range verdicts {
		if s.verdict != nil {
			verdicts[i] = s.verdict(s, verdicts[i])
		}
		s.before = verdicts[i]
	}
	return verdicts, err
}

func (s *faultySession) Reset(ctx context.Context) error {
	if s.reset != nil {
		return s.reset(s)
	}
	return s.Session.Reset(ctx)
}

func (s *faultySession) Restore(ctx context.Context, state spec.Value) error {
	if s.restore != nil {
		return s.restore(s, state)
	}
	return s.Session.Restore(ctx, state)
}
