package score

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Choice says which detectors of a port are scored, and how they are configured.
type Choice struct {
	Detectors []string // each "detector", "detector:reading" or "@profile"; none for all that observe what recordings hold
	Configs   []Config // each gets a row, after that of the defaults
	Sweep     *Sweep
	Least     Severity // only reports of this severity or more count; empty for all
}

// Config is a configuration of one detector, in one reading or in all.
type Config struct {
	Detector spec.DetectorID
	Reading  spec.Reading // empty for all
	Value    spec.Value
	FromFile bool // a file holds it: if a detector refuses it, the file is wrong, see [userfiles.Wrong]
}

// Sweep is one setting with the values that it takes in turn.
type Sweep struct {
	Setting     string
	Least, Most int
}

// ParseConfig reads "detector=CONFIG" or "detector:reading=CONFIG"; [profile.Config] says what CONFIG may be.
func ParseConfig(ctx context.Context, text string) (Config, error) {
	name, named, found := strings.Cut(text, "=")
	if !found {
		return Config{}, fmt.Errorf("%q: want detector=CONFIG or detector:reading=CONFIG", text)
	}
	definition, reading, err := parseDetector(name)
	if err != nil {
		return Config{}, err
	}
	value, err := profile.Config(ctx, named)
	if err != nil {
		return Config{}, fmt.Errorf("the configuration of %s: %w", name, err)
	}
	if value.Kind() != spec.Object {
		return Config{}, userfiles.Wrong(fmt.Errorf("the configuration of %s: want an object, got %s", name, value.Kind()))
	}
	return Config{definition.ID, reading, value, profile.IsFile(named)}, nil
}

// mostPoints bounds a sweep: each point is a row of its own.
const mostPoints = 100

// ParseSweep reads "setting=least..most".
func ParseSweep(text string) (*Sweep, error) {
	setting, values, _ := strings.Cut(text, "=")
	from, to, found := strings.Cut(values, "..")
	least, err := strconv.Atoi(from)
	most, err2 := strconv.Atoi(to)
	switch {
	case setting == "" || !found || err != nil || err2 != nil:
		return nil, fmt.Errorf("%q: want setting=least..most, such as threshold=2..8", text)
	case least > most || most-least >= mostPoints:
		return nil, fmt.Errorf("%q: want at least 1 value and at most %d", text, mostPoints)
	}
	return &Sweep{setting, least, most}, nil
}

// parseDetector reads "detector" or "detector:reading".
func parseDetector(text string) (spec.Definition, spec.Reading, error) {
	id, reading, named := strings.Cut(text, ":")
	definition, known := spec.DefinitionOf(spec.DetectorID(id))
	if !known || definition.ID.IsProfile() {
		all := lists.Map(spec.Detectors(), func(d spec.Definition) spec.DetectorID { return d.ID })
		return definition, "", fmt.Errorf("%q is no detector; %s", id, wording.Hint(spec.DetectorID(id), all))
	}
	if named && !slices.Contains(definition.Readings, spec.Reading(reading)) {
		return definition, "", fmt.Errorf("%s has no reading %q; %s",
			id, reading, wording.Hint(spec.Reading(reading), definition.Readings))
	}
	return definition, spec.Reading(reading), nil
}

// Of returns the contenders that a port provides, in the order of its description. It is an error where something that
// was chosen by name is not there.
func (c Choice) Of(ctx context.Context, port spec.Port, owner string) ([]Contender, error) {
	description, err := port.Describe(ctx)
	if err != nil {
		return nil, err
	}
	profiles, err := c.profiles(description)
	if err != nil {
		return nil, err
	}
	var list []Contender
	for _, observer := range alarm.ObserversOf(port, owner, description.Detectors) {
		definition, known := spec.DefinitionOf(observer.Detector)
		if !known {
			continue
		}
		wanted, err := c.wants(definition, observer.Reading)
		if err != nil {
			return nil, err
		}
		plain := Contender{Observer: observer, Least: c.Least}
		if wanted {
			list = append(list, c.rows(plain, definition)...)
		}
		list = append(list, plain.profiles(profiles)...)
	}
	if len(list) == 0 {
		return nil, c.absentIn(description, owner)
	}
	return list, openEach(ctx, list)
}

// AbsentError is that a party has none of the detectors that are chosen.
type AbsentError struct{ error }

func (c Choice) absentIn(description spec.Description, owner string) error {
	for _, name := range c.Detectors {
		if _, err := profile.Named([]string{name}); err != nil && owner == "" {
			return &AbsentError{err}
		}
	}
	party := "the reference"
	if owner != "" {
		party = "the port " + owner
	}
	has := lists.Map(description.Detectors, func(o spec.Offer) string { return string(o.Detector) })
	return &AbsentError{fmt.Errorf("%s has none of the requested detectors; it has %s",
		party, cmp.Or(strings.Join(has, ", "), "no detector"))}
}

// profiles returns the built-in profiles that are chosen and that the port does not declare as detectors of its own.
func (c Choice) profiles(description spec.Description) ([]profile.Profile, error) {
	named, err := profile.Named(lists.Filter(c.Detectors, profile.IsBuiltIn))
	return lists.Filter(named, func(p profile.Profile) bool {
		_, declared := description.Offer(p.ID())
		return !declared
	}), err
}

// isProfile reports whether a pattern names a profile, such as @roo or @*, and names the detector.
func isProfile(pattern string, id spec.DetectorID) bool {
	matched, err := path.Match(pattern, string(id))
	return profile.IsName(pattern) && err == nil && matched
}

// openEach returns an error where a session cannot be opened: a configuration may be one that the detector refuses.
func openEach(ctx context.Context, list []Contender) error {
	for _, c := range list {
		err := c.Observe(ctx, nil, nil, nil)
		if err != nil && c.fromFile {
			return userfiles.Wrong(err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c Choice) wants(definition spec.Definition, reading spec.Reading) (bool, error) {
	for _, name := range c.Detectors {
		if isProfile(name, definition.ID) {
			return true, nil
		}
		if profile.IsName(name) {
			continue
		}
		chosen, only, err := parseDetector(name)
		if err != nil {
			return false, err
		}
		if chosen.ID == definition.ID && (only == "" || only == reading) {
			return true, nil
		}
	}
	return len(c.Detectors) == 0 && judgesCalls(definition), nil
}

// judgesCalls reports whether a detector judges tool calls as recordings have them: those that demand more of a call,
// such as the worker that made it, have nothing to look at.
func judgesCalls(d spec.Definition) bool {
	return slices.Contains(d.Judges(), spec.ToolCall) && len(d.Demands[spec.ToolCall]) == 0
}

// rows returns the contender with the defaults, with each configuration, and with each value of the sweep.
func (c Choice) rows(plain Contender, definition spec.Definition) []Contender {
	list := []Contender{plain.with(spec.Value{})}
	for _, config := range c.Configs {
		if config.Detector == plain.Detector && (config.Reading == "" || config.Reading == plain.Reading) {
			row := plain.with(config.Value)
			row.fromFile = config.FromFile
			list = append(list, row)
		}
	}
	if c.Sweep == nil || !c.Sweep.fits(plain.Offer, definition, plain.Reading) {
		return list
	}
	for n := c.Sweep.Least; n <= c.Sweep.Most; n++ {
		value := spec.ObjectValue(spec.Member{Name: c.Sweep.Setting, Value: spec.IntValue(n)})
		point := plain.with(value)
		point.Sweep = &Point{c.Sweep.Setting, n}
		list = append(list, point)
	}
	return list
}

// profiles returns the contender with each profile that configures its detector.
func (c Contender) profiles(profiles []profile.Profile) []Contender {
	return lists.Map(c.Profiles(profiles), func(o alarm.Observer) Contender {
		c.Profile = o.Profile
		return c.with(o.Config)
	})
}

// with returns the contender as it is opened; where the port has defaults of its own, the specification's are written
// out.
func (c Contender) with(config spec.Value) Contender {
	c.Config, c.Shown = c.Offer.Config(c.Reading, config), config
	if config.IsAbsent() {
		c.Shown = spec.ObjectValue()
	}
	return c
}

func (s *Sweep) fits(offer spec.Offer, definition spec.Definition, reading spec.Reading) bool {
	return offer.HasSetting(s.Setting) && slices.ContainsFunc(definition.SettingsIn(reading), func(p spec.Parameter) bool {
		return p.Name == s.Setting && p.Kind == spec.Number
	})
}

// CheckNamed returns an error where a name means a profile that is neither built in nor among the contenders.
func (c Choice) CheckNamed(list []Contender) error {
	return alarm.CheckProfiles(c.Detectors, lists.Map(list, func(c Contender) alarm.Observer { return c.Observer }))
}

// CheckUsed returns an error where a configuration or a sweep belongs to none of the contenders.
func (c Choice) CheckUsed(list []Contender) error {
	for _, config := range c.Configs {
		if !slices.ContainsFunc(list, func(each Contender) bool { return each.Detector == config.Detector }) {
			return fmt.Errorf("--config configures %s, which is not among the detectors that are scored", config.Detector)
		}
	}
	if c.Sweep != nil && !slices.ContainsFunc(list, func(each Contender) bool { return each.Sweep != nil }) {
		return fmt.Errorf("no detector has a setting %q that is a number; %s",
			c.Sweep.Setting, wording.Hint(c.Sweep.Setting, settingsOf(list)))
	}
	return nil
}

func settingsOf(list []Contender) []string {
	var names []string
	for _, each := range list {
		definition, _ := spec.DefinitionOf(each.Detector)
		for _, p := range definition.SettingsIn(each.Reading) {
			if p.Kind == spec.Number && !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// CheckDetector returns an error where a name, with or without a reading, means no detector. A profile may be known to
// a port alone.
func CheckDetector(name string) error {
	if profile.IsName(name) {
		return nil
	}
	_, _, err := parseDetector(name)
	return err
}
