package recording

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

func isInterCode(h head) bool {
	isRun := func(m spec.Member) bool { return isInterCodeRun(m.Value) }
	return slices.ContainsFunc(h.records(), func(v spec.Value) bool {
		return isInterCodeRun(v) || slices.ContainsFunc(v.Members(), isRun)
	})
}

func isInterCodeRun(v spec.Value) bool {
	return v.Get("turn_history").Get("actions").Kind() == spec.Array
}

// readInterCode reads results of InterCode: an object of runs by their numbers, each with lists of actions, of what
// they printed, and of whether they could be carried out. One run is a record.
func readInterCode(s *source) error {
	return s.texts(func() error {
		if s.json.PeekKind() == '[' {
			return s.items(s.interCodeRun)
		}
		if records := s.head.records(); len(records) > 0 && isInterCodeRun(records[0]) {
			return s.interCodeRun()
		}
		return s.members(func(string) error { return s.interCodeRun() })
	})
}

func (s *source) interCodeRun() error {
	v, err := s.object()
	if err != nil {
		return err
	}
	place := s.place()
	if !isInterCodeRun(v) {
		return s.failf("there is no turn_history with actions")
	}
	t := s.newTrace(fmt.Sprintf("#%d", s.runs))
	if rewards := v.Get("turn_history").Get("rewards").Items(); len(rewards) > 0 {
		t.run.reward(rewards[len(rewards)-1])
	}
	if query := text(v, "query"); query != "" {
		if err := t.say(spec.User, query, place, nil); err != nil {
			return err
		}
	}
	for i := range v.Get("turn_history").Get("actions").Items() {
		at := place
		at.Pointer += fmt.Sprintf("/turn_history/actions/%d", i)
		if err := t.interCodeTurn(v, i, at); err != nil {
			return err
		}
	}
	return t.end(place)
}

// interCodeTurn takes an action and what it printed.
func (t *trace) interCodeTurn(v spec.Value, i int, place Place) error {
	if err := t.endReply(); err != nil {
		return err
	}
	if err := t.beginReply("", place, nil); err != nil {
		return err
	}
	turns := v.Get("turn_history")
	c := interCodeCall(text(v, "environment"), turns.Get("actions").Items()[i])
	c.id, c.place = "step", place
	t.call(c)
	printed, valid := turns.Get("observations").Items(), turns.Get("valid_action").Items()
	if i >= len(printed) {
		return nil
	}
	how := unknown
	if i < len(valid) && valid[i].Kind() == spec.Bool {
		how = failedIf(spec.BoolValue(!valid[i].IsTrue()))
	}
	return t.result("step", t.plainText(printed[i], place), how, place, nil)
}

// interCodeCall returns an action as a call: of bash in the environment that is one, of the environment itself in
// others.
func interCodeCall(environment string, action spec.Value) call {
	if environment != "ic_bash" {
		return call{tool: environment, args: spec.ObjectValue(spec.Member{Name: "action", Value: action})}
	}
	return call{tool: "bash", args: spec.ObjectValue(spec.Member{Name: "command", Value: action})}
}
