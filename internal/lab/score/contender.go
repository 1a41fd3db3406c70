package score

import (
	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Contender is a detector that is scored.
type Contender struct {
	alarm.Observer
	Shown spec.Value `json:"config"` // an object: what differs from the specification's defaults
	Sweep *Point     `json:"-"`      // where the configuration is one of many that differ in one setting

	fromFile bool // a file holds the configuration

	Least Severity `json:"least_severity,omitempty"` // only reports of this severity or more count; empty for all
}

// Point is one value of a setting.
type Point struct {
	Setting string
	Value   int
}

// Name returns what a table calls the contender.
func (c Contender) Name() string {
	name := string(c.Detector) + " " + string(c.Reading)
	if c.Profile != "" {
		name = c.Profile
	} else if len(c.Shown.Members()) > 0 {
		name += " " + c.Shown.String()
	}
	if c.Least != "" {
		name += ", " + string(c.Least)
	}
	if c.Owner != "" {
		name += " of " + c.Owner
	}
	return wording.Line(name) // a port calls itself as it likes
}
