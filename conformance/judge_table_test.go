package conformance

// judgeTests are cases of a detector, and what a port answers that is out of the ordinary; testdata/judge.txt
// has what comes of it.
var judgeTests = []struct {
	reason, body string
	script       map[string]string
}{
	{
		"a configuration is refused as it must be", `
config: {history_size: 0}
refuse: {kind: invalid_config, field: history_size}`,
		map[string]string{`1: open history code {"history_size":0}`: "refuse invalid_config history_size"},
	},
	{"a configuration is accepted that must be refused", `
config: {history_size: 0}
refuse: {kind: invalid_config, field: history_size}`, nil},
	{
		"a configuration is refused for another member", `
config: {history_size: 0}
refuse: {kind: invalid_config, field: history_size}`,
		map[string]string{`1: open history code {"history_size":0}`: "refuse invalid_config size"},
	},
	{
		"the port is gone when it should refuse", `
config: {history_size: 0}
refuse: {kind: invalid_config, field: history_size}`,
		map[string]string{`1: open history code {"history_size":0}`: "fail"},
	},
	{
		"a configuration is refused that must be accepted", `
config: {history_size: 1}
steps: [{tool_call: {tool: a}, expect: {loop: false}}]`,
		map[string]string{`1: open history code {"history_size":1}`: "refuse invalid_config history_size"},
	},
	{"a function returns what it must", `
call: {function: history.hash, args: {tool: a}}
result: abc`, map[string]string{`call history.hash code {"tool":"a"}`: `"abc"`}},
	{"a function returns something else", `
call: {function: history.hash, args: {tool: a}}
result: abc`, nil},
	{"a function refuses", `
call: {function: history.hash, args: {tool: a}}
result: abc`, map[string]string{`call history.hash code {"tool":"a"}`: "refuse invalid_params x"}},
	{"a function accepts what it must refuse", `
call: {function: history.hash, args: {tool: a}}
fault: {kind: invalid_params}`, nil},
	{"a function refuses what it must", `
call: {function: history.hash, args: {tool: a}}
fault: {kind: invalid_params}`, map[string]string{`call history.hash code {"tool":"a"}`: "refuse invalid_params x"}},
	{"a function has one value for both arguments, as it must", `
call: {function: history.hash, args: {tool: a}}
result: {same_as: {tool: b}}`, nil},
	{"a function has two values for arguments that must have one", `
call: {function: history.hash, args: {tool: a}}
result: {same_as: {tool: b}}`, map[string]string{`call history.hash code {"tool":"b"}`: "2"}},
	{"a function has two values for two arguments, as it must", `
call: {function: history.hash, args: {tool: a}}
result: {not_same_as: {tool: b}}`, map[string]string{`call history.hash code {"tool":"b"}`: "2"}},
	{"a function has one value for arguments that must have two", `
call: {function: history.hash, args: {tool: a}}
result: {not_same_as: {tool: b}}`, nil},
	{"a function refuses the other arguments", `
call: {function: history.hash, args: {tool: a}}
result: {not_same_as: {tool: b}}`, map[string]string{`call history.hash code {"tool":"b"}`: "refuse invalid_params x"}},
	{"plain events of one session travel together", `
steps:
  - tool_call: {tool: a}
    times: 2
    expect: {loop: false}
  - tool_call: {tool: b}
    expect: {loop: false}`, nil},
	{
		"a batch, a reset, another session and a refusal travel alone", `
steps:
  - tool_call: {tool: a}
  - batch: [{type: tool_call, tool: b}, {type: tool_call, tool: c}]
    expect: [{loop: false}, {loop: false}]
  - tool_call: {tool: d}
    session: other
  - tool_call: {tool: e}
  - reset: true
  - tool_call: {tool: f}
  - event: {type: tool_call, tool: 1}
    fault: {kind: invalid_event, field: tool}
  - tool_call: {tool: g}`,
		map[string]string{"1: observe ": "refuse invalid_event tool"},
	},
	{
		"what went before names a session, with the configuration that it alone has", `
sessions: {small: {history_size: 1}}
steps:
  - tool_call: {tool: a}
    session: small
  - tool_call: {tool: b}
    session: other
  - tool_call: {tool: c}
  - tool_call: {tool: d}
    expect: {loop: true}`, nil,
	},
	{
		"what went before in the case is not told of its contrast", `
steps:
  - tool_call: {tool: a}
  - tool_call: {tool: b}
    expect: {loop: false}
contrast: {change: 2, like: 1, expect: {loop: true}}`, nil,
	},
	{
		"a verdict that is no object stands in the trace as it came", `
steps:
  - tool_call: {tool: a}
  - tool_call: {tool: b}
    expect: {loop: true}`,
		map[string]string{"1: observe a b": `["stuck",{"loop":false}]`},
	},
	{
		"the last of equal events has another verdict", `
steps:
  - tool_call: {tool: a}
    times: 2
    expect: {loop: false}
  - tool_call: {tool: b}
    expect: {loop: true, count: 2}`,
		map[string]string{"1: observe a a b": `[{"loop":false},{"loop":true},{"loop":true,"count":2}]`},
	},
	{
		"the second step has another verdict", `
steps:
  - tool_call: {tool: a}
    times: 2
    expect: {loop: false}
  - tool_call: {tool: b}
    expect: {loop: true, count: 2}`,
		map[string]string{"1: observe a a b": `[{"loop":false},{"loop":false},{"loop":true,"count":3}]`},
	},
	{
		"one expectation for each event of a batch", `
steps:
  - batch: [{type: tool_call, tool: b}, {type: tool_call, tool: c}]
    expect: [{loop: false}, {loop: true}]`,
		map[string]string{"1: observe b c": `[{"loop":true},{"loop":false}]`},
	},
	{"the second expectation of a batch", `
steps:
  - batch: [{type: tool_call, tool: b}, {type: tool_call, tool: c}]
    expect: [{loop: false}, {loop: true}]`, nil},
	{
		"what is not compared may be anything", `
steps:
  - tool_call: {tool: a}
  - tool_call: {tool: b}
    expect: {loop: false}`,
		map[string]string{"1: observe a b": `[{"loop":true,"count":7},{"loop":false}]`},
	},
	{"a verdict is missing", `
steps:
  - tool_call: {tool: a}
    times: 2
    expect: {loop: false}`, map[string]string{"1: observe a a": `[{"loop":false}]`}},
	{
		"a refusal among several events is found", `
steps:
  - tool_call: {tool: a}
    expect: {loop: false}
  - tool_call: {tool: b}
    expect: {loop: false}
  - tool_call: {tool: c}
    expect: {loop: false}`,
		map[string]string{"1: observe a b c": "refuse invalid_event tool", "1: observe b": "refuse invalid_event tool"},
	},
	{"several events are refused that are taken one by one", `
steps:
  - tool_call: {tool: a}
    expect: {loop: false}
  - tool_call: {tool: b}
    expect: {loop: false}`, map[string]string{"1: observe a b": "refuse invalid_event tool"}},
	{
		"a single event is refused", `
steps: [{tool_call: {tool: a}, times: 2, expect: {loop: false}}]`,
		map[string]string{"1: observe a a": "refuse invalid_event tool"},
	},
	{"the port is gone among several events", `
steps:
  - reset: true
  - tool_call: {tool: a}
  - tool_call: {tool: b}
    expect: {loop: false}`, map[string]string{"1: observe a b": "fail"}},
	{"an event is accepted that must be refused", `
steps:
  - tool_call: {tool: a}
  - event: {type: tool_call, tool: 1}
    fault: {kind: invalid_event, field: tool}`, nil},
	{
		"evidence names an event that was not there", `
steps:
  - tool_call: {tool: a}
  - tool_call: {tool: a}
    expect: {loop: true}`,
		map[string]string{"1: observe a a": `[{"loop":false},{"loop":true,"kind":"repeat","count":2,"evidence":[1,2]}]`},
	},
	{
		"a reset does not turn the index back", `
steps:
  - tool_call: {tool: a}
  - reset: true
  - tool_call: {tool: b}
    times: 2
    expect: {loop: true}`,
		map[string]string{"1: observe b b": `[{"loop":true,"kind":"repeat","count":1,"evidence":[1]},{"loop":true,"kind":"repeat","count":2,"evidence":[0,1]}]`},
	},
	{
		"events from before a restore are no evidence", `
needs: [snapshot]
steps:
  - tool_call: {tool: a}
  - snapshot: s
  - restore: s
  - tool_call: {tool: b}
    expect: {loop: true}`,
		map[string]string{"1: observe b": `[{"loop":true,"evidence":[0,1]}]`},
	},
	{
		"sessions have their own indices", `
steps:
  - tool_call: {tool: a}
  - tool_call: {tool: b}
    session: other
    expect: {loop: true}`,
		map[string]string{"2: observe b": `[{"loop":true,"kind":"repeat","count":1,"evidence":[1]}]`},
	},
	{"a snapshot is put back as it was taken", `
needs: [snapshot]
steps:
  - snapshot: s
  - restore: s
  - restore: {m: 2}
  - tool_call: {tool: a}
    session: other
  - restore: s
    session: other`, nil},
	{"a state differs", `
needs: [state]
steps:
  - reset: true
  - state: {m: 1}`, map[string]string{"1: state": `{"m":2}`}},
	{"a snapshot has more than it must", `
needs: [snapshot]
steps:
  - snapshot: s
    expect: {m: 1}`, map[string]string{"1: snapshot": `{"m":1,"n":2}`}},
	{"a reset is refused", `
steps:
  - tool_call: {tool: a}
  - reset: true`, map[string]string{"1: reset": "refuse invalid_params x"}},
	{"a state is accepted that must be refused", `
needs: [snapshot]
steps:
  - restore: {m: 2}
    fault: {kind: invalid_state}
  - tool_call: {tool: a}`, nil},
	{
		"a state is refused as it must be, and nothing has changed", `
needs: [snapshot]
steps:
  - tool_call: {tool: a}
  - restore: {m: 2}
    fault: {kind: invalid_state}
  - tool_call: {tool: b}
    expect: {loop: true}`,
		map[string]string{
			`1: restore {"m":2}`: "refuse invalid_state x",
			"1: observe b":       `[{"loop":true,"evidence":[0,1]}]`,
		},
	},
	{"the port is gone when it is asked for its state", `
needs: [state]
steps:
  - tool_call: {tool: a}
  - state: {m: 1}`, map[string]string{"1: state": "fail"}},
	{"a session cannot be closed", `
steps:
  - tool_call: {tool: a}
  - tool_call: {tool: b}
    session: other
    expect: {loop: false}`, map[string]string{"1: close": "refuse unknown_session x"}},
	{"the port is gone when a session is closed", `
steps: [{tool_call: {tool: a}, expect: {loop: false}}]`, map[string]string{"1: close": "fail"}},
	{
		"a function accepts what it does not support", `
call: {function: history.hash, args: {tool: a}}
fault: {kind: unsupported, feature: hashes}`, nil,
	},
	{
		"the port is gone when a function is called", `
call: {function: history.hash, args: {tool: a}}
result: abc`, map[string]string{`call history.hash code {"tool":"a"}`: "fail"},
	},
	{
		"a function refuses the arguments that must give the same", `
call: {function: history.hash, args: {tool: a}}
result: {same_as: {tool: b}}`, map[string]string{`call history.hash code {"tool":"b"}`: "refuse invalid_params x"},
	},
	{
		"the port is gone at the first step", `
steps: [{tool_call: {tool: a}, expect: {loop: false}}]`, map[string]string{"1: observe a": "fail"},
	},
	{
		"the port is gone when the second session is opened", `
steps:
  - tool_call: {tool: a}
  - reset: true
  - tool_call: {tool: b}
    session: other`, map[string]string{"2: open history code null": "fail"},
	},
	{
		"a verdict without a loop has a kind", `
steps:
  - tool_call: {tool: a}
  - tool_call: {tool: b}
    expect: {loop: false}`,
		map[string]string{"1: observe a b": `[{"loop":false,"note":1},{"loop":false,"kind":"repeat","count":1}]`},
	},
	{
		"a loop has members of other detectors", `
steps: [{tool_call: {tool: a}, expect: {loop: true}}]`,
		map[string]string{"1: observe a": `[{"loop":true,"kind":"repeat","count":1,"severity":"fatal","period":1}]`},
	},
	{
		"a count that is written as a float", `
steps: [{tool_call: {tool: a}, expect: {loop: true, count: 2}}]`,
		map[string]string{"1: observe a": `[{"loop":true,"kind":"repeat","count":2.0}]`},
	},
	{
		"a count that is no integer", `
steps: [{tool_call: {tool: a}, expect: {loop: true, count: 2}}]`,
		map[string]string{"1: observe a": `[{"loop":true,"kind":"repeat","count":2.0000000001}]`},
	},
	{
		"what follows a batch travels alone", `
steps:
  - batch: [{type: tool_call, tool: a}, {type: tool_call, tool: b}]
    expect: [{loop: false}, {loop: false}]
  - tool_call: {tool: c}
    expect: {loop: false}`, nil,
	},
}
