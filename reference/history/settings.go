package history

import "github.com/loopstone/loopstone/spec"

// settings is the configuration. The mitigations are off where they are empty or 0.
type settings struct {
	repeatThreshold int // at least 1
	historySize     int // at least 1

	normalize          map[string]bool // tools whose arguments do not count
	limits             []int           // how often each tool with a limit may be in the window
	limitedTools       []string        // the tools of these limits
	limitOf            map[string]int  // position of a tool's limit in both
	firstWordThreshold int
}

// readSettings fills in D4's defaults; its error is a [*spec.Fault] of kind invalid_config. [HI-2] [HI-3] [HI-17]
func readSettings(config spec.Value) (settings, error) {
	s := settings{repeatThreshold: 3, historySize: 20}
	err := spec.ReadConfig(config, map[string]spec.Setting{
		"repeat_threshold":     spec.AtLeast(1, &s.repeatThreshold),
		"history_size":         spec.AtLeast(1, &s.historySize),
		"normalize":            s.readNormalize,
		"tool_limits":          s.readLimits,
		"first_word_threshold": spec.AtLeast(1, &s.firstWordThreshold),
	})
	return s, err
}

// readNormalize reads a list of tools; one that is named twice is the same as once.
func (s *settings) readNormalize(field string, v spec.Value) error {
	if v.Kind() != spec.Array {
		return spec.BadConfig(field, "want an array of tools, got %s", v.Kind())
	}
	s.normalize = map[string]bool{}
	for _, item := range v.Items() {
		tool, isText := item.Str()
		if !isText {
			return spec.BadConfig(field, "want names of tools, got %s", item)
		}
		s.normalize[tool] = true
	}
	return nil
}

// readLimits reads an object of tools and their limits.
func (s *settings) readLimits(field string, v spec.Value) error {
	if v.Kind() != spec.Object {
		return spec.BadConfig(field, "want an object of limits by tool, got %s", v.Kind())
	}
	s.limitOf = map[string]int{}
	for _, m := range v.Members() {
		limit := 0
		if err := spec.AtLeast(1, &limit)(field, m.Value); err != nil {
			return err
		}
		s.limitOf[m.Name] = len(s.limits)
		s.limits, s.limitedTools = append(s.limits, limit), append(s.limitedTools, m.Name)
	}
	return nil
}
