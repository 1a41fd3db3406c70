package fuzz_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// planted is a port with one fault that no case is likely to hit.
type planted struct {
	name    string
	reading spec.Reading
	make    func() spec.Implementation
	want    string // a counterexample as small as can be
}

// changed wraps the detectors of an implementation.
func changed(impl spec.Implementation, wrap func(d spec.Detector, config spec.Value) spec.Detector) spec.Implementation {
	made := impl.New
	impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
		d, err := made(r, config)
		if err != nil {
			return nil, err
		}
		return wrap(d, config), nil
	}
	impl.Features = nil
	return impl
}

// tweaked is a detector whose events and verdicts are changed on the way.
type tweaked struct {
	spec.Detector
	before func(spec.Event) spec.Event
	after  func(spec.Event, spec.Verdict) spec.Verdict
	reset  func()
}

func (t *tweaked) Observe(e spec.Event) spec.Verdict {
	if t.before != nil {
		e = t.before(e)
	}
	v := t.Detector.Observe(e)
	if t.after != nil {
		v = t.after(e, v)
	}
	return v
}

func (t *tweaked) Reset() {
	t.Detector.Reset()
	if t.reset != nil {
		t.reset()
	}
}

// otherArgs is a history that changes the arguments of calls before it compares them.
func otherArgs(change func(spec.Value) spec.Value) func() spec.Implementation {
	return func() spec.Implementation {
		return changed(reference.Implementation(spec.History), func(d spec.Detector, _ spec.Value) spec.Detector {
			return &tweaked{Detector: d, before: func(e spec.Event) spec.Event {
				e.Args = e.Args.Map(change)
				return e
			}}
		})
	}
}

// asText writes an object or an array as it stands: the order of its members counts.
func asText(v spec.Value) spec.Value {
	if v.Kind() == spec.Object || v.Kind() == spec.Array {
		return spec.StringValue(v.String())
	}
	return v
}

// cut leaves the first 64 characters of a text.
func cut(v spec.Value) spec.Value {
	text, isText := v.Str()
	if runes := []rune(text); isText && len(runes) > 64 {
		return spec.StringValue(string(runes[:64]))
	}
	return v
}

// growing is a history whose window is one longer after a reset.
func growing() spec.Implementation {
	impl := reference.Implementation(spec.History)
	return changed(impl, func(d spec.Detector, config spec.Value) spec.Detector {
		s, _ := impl.Read(spec.Code, config) // the reference has checked it
		grown := &tweaked{Detector: d}
		grown.reset = func() {
			longer := spec.ObjectValue(config.Members()...).With("history_size", spec.IntValue(s.Number("history_size")+1))
			grown.Detector, _ = impl.New(spec.Code, longer)
		}
		return grown
	})
}

func defaulting(name string, value int) func(spec.Implementation) spec.Implementation {
	return func(impl spec.Implementation) spec.Implementation {
		made := impl.New
		impl.Features = nil
		impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
			if config.IsAbsent() {
				config = spec.ObjectValue()
			}
			if config.Get(name).IsAbsent() {
				config = config.With(name, spec.IntValue(value))
			}
			return made(r, config)
		}
		return impl
	}
}

func plantedFaults() []planted {
	return []planted{
		{
			name: "keys sorted at the top level only", reading: spec.Code,
			want: `{"detector":"history","reading":"code","steps":[{"type":"tool_call","tool":"","args":{"a":{"a":0,"b":0}}},{"type":"tool_call","tool":"","args":{"a":{"b":0,"a":0}}}]}`,
			make: otherArgs(asText),
		},
		{
			name: "a window that is one longer after a reset", reading: spec.Code,
			want: `{"detector":"history","reading":"code","config":{"history_size":1},"steps":[{"reset":true},{"type":"tool_call","tool":""},{"type":"tool_call","tool":""}]}`,
			make: growing,
		},
		{
			name: "equality of the first 64 characters", reading: spec.Code,
			want: `{"detector":"history","reading":"code","steps":[{"type":"tool_call","tool":"","args":{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}},{"type":"tool_call","tool":"","args":{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}]}`,
			make: otherArgs(cut),
		},
		{
			name: "a counter that overflows at 8", reading: spec.Text,
			want: `{"detector":"fingerprint","reading":"text","steps":[{"type":"tool_call","tool":""},{"type":"tool_call","tool":""},{"type":"tool_call","tool":""},{"type":"tool_call","tool":""},{"type":"tool_call","tool":""},{"type":"tool_call","tool":""},{"type":"tool_call","tool":""},{"type":"tool_call","tool":""}]}`,
			make: func() spec.Implementation {
				return changed(reference.Implementation(spec.Fingerprint), func(d spec.Detector, _ spec.Value) spec.Detector {
					return &tweaked{Detector: d, after: func(_ spec.Event, v spec.Verdict) spec.Verdict {
						if v.Count == 8 {
							v.Count = 7
						}
						return v
					}}
				})
			},
		},
		{
			name: "a run that another session interrupts", reading: spec.Text,
			want: `{"detector":"fingerprint","reading":"text","steps":[{"type":"tool_call","tool":""},{"type":"output","text":"","session":1},{"type":"tool_call","tool":""}]}`,
			make: func() spec.Implementation {
				sessions, last := 0, 0
				return changed(reference.Implementation(spec.Fingerprint), func(d spec.Detector, _ spec.Value) spec.Detector {
					sessions++
					own := sessions
					return &tweaked{Detector: d, before: func(e spec.Event) spec.Event {
						if last != own && e.Type == spec.ToolCall {
							d.Reset()
						}
						last = own
						return e
					}}
				})
			},
		},
		{
			name: "member names ordered by UTF-16 units", reading: spec.Code,
			want: `{"detector":"history","reading":"code","function":"history.hash","args":{"args":{"～":0,"😀":0},"tool":""}}`,
			make: func() spec.Implementation {
				impl := reference.Implementation(spec.History)
				hash := impl.Functions["history.hash"]
				impl.Features = []spec.Feature{spec.Hashes}
				impl.Functions = map[string]func(spec.Reading, spec.Value) (spec.Value, error){
					"history.hash": func(r spec.Reading, args spec.Value) (spec.Value, error) {
						value, err := hash(r, args)
						if err == nil && misordered(args.Get("args")) {
							value = spec.StringValue(strings.Repeat("0", 32))
						}
						return value, err
					},
				}
				return impl
			},
		},
		{
			name: "a no-break space that is no white space", reading: spec.Code,
			want: `{"detector":"signature","reading":"code","steps":[{"type":"output","text":"` + "\u00a0" + `"}]}`,
			make: func() spec.Implementation {
				return changed(reference.Implementation(spec.Signature), func(d spec.Detector, _ spec.Value) spec.Detector {
					return &tweaked{Detector: d, before: func(e spec.Event) spec.Event {
						e.Text = strings.ReplaceAll(e.Text, "\u00a0", "_")
						return e
					}}
				})
			},
		},
		{
			name: "a result that is not ok is an error", reading: spec.Text,
			want: `{"detector":"crow","reading":"text","steps":[{"type":"tool_call","tool":""},{"type":"tool_call","tool":""},{"type":"tool_call","tool":""},{"type":"tool_result","content":"","ok":false},{"type":"tool_result","content":"","ok":false},{"type":"tool_result","content":"","ok":false}]}`,
			make: func() spec.Implementation {
				return changed(reference.Implementation(spec.Crow), func(d spec.Detector, _ spec.Value) spec.Detector {
					return &tweaked{Detector: d, before: func(e spec.Event) spec.Event {
						if e.Type == spec.ToolResult && !e.OK {
							e.Type, e.Message = spec.ErrorEvent, e.Content
						}
						return e
					}}
				})
			},
		},
		{
			name: "more than the similarity instead of at least", reading: spec.Text,
			want: `{"detector":"ralph","reading":"text","steps":[{"type":"output","text":"aaaaaaaaaa"},{"type":"output","text":"aaaaaaaaab"}]}`,
			make: func() spec.Implementation {
				return changed(reference.Implementation(spec.Ralph), func(d spec.Detector, config spec.Value) spec.Detector {
					similarity := 90
					if n, ok := config.Get("similarity").Int(); ok {
						similarity = n
					}
					return &tweaked{Detector: d, after: func(_ spec.Event, v spec.Verdict) spec.Verdict {
						if v.Similarity == float64(similarity) && similarity < 100 {
							return spec.Verdict{}
						}
						return v
					}}
				})
			},
		},
		{
			name: "errors are reported before the loop", reading: spec.Text,
			want: `{"detector":"guards","reading":"text","config":{"max_consecutive_errors":1,"signature":{"threshold":1}},"steps":[{"type":"iteration","elapsed_s":0,"output":"","failed":true}]}`,
			make: func() spec.Implementation {
				return changed(reference.Implementation(spec.Guards), func(d spec.Detector, config spec.Value) spec.Detector {
					failed, most := 0, 3
					if n, ok := config.Get("max_consecutive_errors").Int(); ok {
						most = n
					}
					return &tweaked{
						Detector: d,
						reset:    func() { failed = 0 },
						after: func(e spec.Event, v spec.Verdict) spec.Verdict {
							if e.Type == spec.Iteration {
								failed++
								if !e.Failed {
									failed = 0
								}
							}
							if v.Kind == spec.KindLoopDetection && failed >= most {
								return spec.Verdict{Loop: true, Kind: spec.KindConsecutiveErrors, Count: failed}
							}
							return v
						},
					}
				})
			},
		},
		{
			name: "one worker is enough", reading: spec.Text,
			want: `{"detector":"swarm","reading":"text","config":{"threshold":1},"steps":[{"type":"tool_call","tool":"","worker":""}]}`,
			make: func() spec.Implementation {
				return defaulting("min_workers", 1)(reference.Implementation(spec.Swarm))
			},
		},
		{
			name: "only signatures that follow one another count", reading: spec.Code,
			want: `{"detector":"signature","reading":"code","steps":[{"type":"output","text":""},{"type":"output","text":"a"},{"type":"output","text":""}]}`,
			make: func() spec.Implementation {
				return changed(reference.Implementation(spec.Signature), func(d spec.Detector, _ spec.Value) spec.Detector {
					run, last := 0, "none"
					return &tweaked{
						Detector: d,
						reset:    func() { run, last = 0, "none" },
						after: func(e spec.Event, v spec.Verdict) spec.Verdict {
							if e.Type != spec.Output {
								return v
							}
							if v.Signature != last {
								run, last = 0, v.Signature
							}
							run++
							v.Count = min(v.Count, run)
							return v
						},
					}
				})
			},
		},
	}
}

// misordered reports whether an object, at any depth, has names whose order by UTF-16 units is not that by code points.
func misordered(v spec.Value) bool {
	for _, a := range v.Members() {
		for _, b := range v.Members() {
			byUnits := slices.Compare(utf16.Encode([]rune(a.Name)), utf16.Encode([]rune(b.Name)))
			if byUnits < 0 && a.Name > b.Name {
				return true
			}
		}
	}
	return slices.ContainsFunc(v.Items(), misordered) ||
		slices.ContainsFunc(v.Members(), func(m spec.Member) bool { return misordered(m.Value) })
}

// find looks for the fault with a seed, and returns the counterexamples.
func find(t *testing.T, p planted, seed uint64) []fuzz.Counterexample {
	t.Helper()
	port := spec.NewHost(spec.Description{Name: "planted", Version: "1", Language: "go"}, p.make())
	h := fuzz.NewFuzzer(port, reference.Port(), tracegen.For, p.make().Offer, p.reading)
	h.Checks = h.Checks[:1] // agreement
	const tries = 40
	for try := range uint64(tries) {
		found, err := h.Look(t.Context(), 500, seed+1000*try)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// TestPlantedFaultsShrinkToTheirLeast finds each fault with several seeds, ten where LOOPSTONE_SLOW is set, and demands a
// counterexample as small as the one that is written down every time. The first case that it makes of it passes on the
// reference, fails on the faulty port, and reads back from its file.
func TestPlantedFaultsShrinkToTheirLeast(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short: make long runs it")
	}
	seeds := uint64(1)
	if os.Getenv("LOOPSTONE_SLOW") != "" {
		seeds = 10
	}
	for _, p := range plantedFaults() {
		t.Run(p.name, func(t *testing.T) {
			for seed := uint64(1); seed <= seeds; seed++ {
				found := find(t, p, seed)
				if found == nil {
					t.Fatalf("seed %d: not found", seed)
				}
				if s := found[0].Subject; !asSmall(s, p.want) {
					t.Errorf("seed %d: a larger counterexample:\nwant %s\ngot  %s (%s)", seed, p.want, s.Value(), found[0].Finding.Error())
				}
				if seed == 1 {
					provesItself(t, p, found[0])
				}
			}
		})
	}
}

// asSmall reports whether a subject has no more steps than the one that is written down, and a text hardly longer: a value
// of some characters may stand where another would do.
func asSmall(s fuzz.Subject, want string) bool {
	const some = 24
	steps := len(spec.MustParse(want).Get("steps").Items())
	return len(s.Steps) <= steps && len(s.Value().String()) <= len(want)+some
}

// provesItself checks the case that is made of a counterexample.
func provesItself(t *testing.T, p planted, c fuzz.Counterexample) {
	t.Helper()
	made, err := fuzz.CaseOf(t.Context(), reference.Port(), c)
	if err != nil {
		t.Fatal(err)
	}
	text := cases.Write(made)
	read, err := cases.Parse("found.yaml", text)
	if err != nil {
		t.Fatalf("the case is refused: %v\n%s", err, text)
	}
	impl := p.make()
	impl.Features = append(impl.Features, made.Needs...)
	faulty := spec.NewHost(spec.Description{Name: "planted", Version: "1", Language: "go"}, impl)
	for _, judged := range []struct {
		port spec.Port
		want conformance.Outcome
	}{{reference.Port(), conformance.Conformant}, {faulty, conformance.NotConformant}} {
		report, err := conformance.Run(t.Context(), judged.port, read, conformance.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Outcome(); got != judged.want {
			t.Errorf("the outcome is %s, want %s:\n%s", got, judged.want, text)
		}
	}
}
