package history_test

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
)

func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	const (
		a = `{"hash":"900150983cd24fb0d6963f7d28e17f72","tool":"sh"`
		b = `{"hash":"d41d8cd98f00b204e9800998ecf8427e","tool":""`
	)
	call := spec.Event{Type: spec.ToolCall, Tool: "sh", Args: spec.MustParse(`{"command":"ls"}`)}
	d := func() detectortest.Session {
		d := detectortest.Open(t, spec.History, history.New, spec.Code, spec.MustParse(`{"history_size":3}`))
		d.Observe(call)
		return d.(detectortest.Session)
	}
	states := map[string]string{
		"more calls than the window holds": `{"calls":[` + a + `},` + a + `},` + b + `},` + b + `}]}`,
		"a word in capitals":               `{"calls":[` + a + `,"first_word":"` + strings.Repeat("AB", 16) + `"}]}`,
		"a word that is too long":          `{"calls":[` + a + `,"first_word":"` + strings.Repeat("ab", 17) + `"}]}`,
		"a call without a hash":            `{"calls":[{"tool":"sh"}]}`,
		"a hash that is a number":          `{"calls":[{"hash":1,"tool":"sh"}]}`,
		"a word that is no digest":         `{"calls":[` + a + `,"first_word":"ls"}]}`,
		"a call without a tool":            `{"calls":[{"hash":"900150983cd24fb0d6963f7d28e17f72"}]}`,
		"calls that are no array":          `{"calls":{}}`,
		"nothing":                          `{}`,
	}
	detectortest.CheckRefuses(t, d, states)
	sound := `{"calls":[` + a + `},` + b + `,"first_word":"` + strings.Repeat("ab", 16) + `"}]}`
	if err := d().Restore(spec.MustParse(sound)); err != nil {
		t.Errorf("a sound state is refused: %v", err)
	}
}
