package agentlogs

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
	records := s.head.records()
	each := len(records) > 0 && isInterCodeRun(records[0]) // a record is a run, as an item of an array is
	return s.records(func() error {
		if each || s.json.StackDepth() > 0 {
			return s.interCodeRun()
		}
		return s.members(func(string) error { return s.interCodeRun() })
	})
}

func (s *source) interCodeRun() error {
	t := s.newTranscript(fmt.Sprintf("#%d", s.runs))
	return t.end(t.next(s.object, interCodeTurns))
}

func interCodeTurns(t *transcript, v spec.Value) error {
	if !isInterCodeRun(v) {
		return t.source.failf("there is no turn_history with actions")
	}
	turns := v.Get("turn_history")
	if rewards := turns.Get("rewards").Items(); len(rewards) > 0 {
		t.run.reward(rewards[len(rewards)-1])
	}
	if query := text(v, "query"); query != "" {
		t.say(spec.User, query)
	}
	run := t.at.place.Pointer
	for i, action := range turns.Get("actions").Items() {
		t.at.place.Pointer = fmt.Sprintf("%s/turn_history/actions/%d", run, i)
		t.newReply()
		tool, args := interCodeCall(text(v, "environment"), action)
		t.call("step", tool, args)
		if printed := turns.Get("observations").Items(); i < len(printed) {
			t.result("step", t.plainText(printed[i]), interCodeOutcome(turns, i))
		}
	}
	return nil
}

// interCodeOutcome returns whether an action could be carried out.
func interCodeOutcome(turns spec.Value, i int) outcome {
	if valid := turns.Get("valid_action").Items(); i < len(valid) && valid[i].Kind() == spec.Bool {
		return succeededIf(valid[i].IsTrue())
	}
	return unknown
}

// interCodeCall returns an action as a call: of bash in the environment that is one, of the environment itself in
// others.
func interCodeCall(environment string, action spec.Value) (tool string, args spec.Value) {
	if environment != "ic_bash" {
		return environment, spec.ObjectValue(spec.Member{Name: "action", Value: action})
	}
	return "bash", spec.ObjectValue(spec.Member{Name: "command", Value: action})
}
