package guards

import (
	"github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/spec"
)

// limits is the configuration of the guards.
type limits struct {
	iterations        limit
	runtimeS          limit // seconds
	consecutiveErrors int   // at least 1
	signature         signatureSettings
}

// limit is an optional upper limit; 0 where there is none.
type limit int

// reached reports whether a number is at the limit or above it.
func (l limit) reached(n float64) bool { return l > 0 && n >= float64(l) }

// defaultConsecutiveErrors is D3's MAX_CONSECUTIVE_ERRORS (D3#problem).
const defaultConsecutiveErrors = 3

// readLimits reads a configuration; its error is a [*spec.Fault] of kind [spec.InvalidConfig].
func readLimits(config spec.Value) (limits, error) {
	l := limits{consecutiveErrors: defaultConsecutiveErrors, signature: signatureSettings{reading: spec.Text}} // GU-12
	err := spec.ReadConfig(config, map[string]spec.Setting{                                                    // GU-13
		"max_iterations":         spec.AtLeast(1, (*int)(&l.iterations)),
		"max_runtime_s":          spec.AtLeast(1, (*int)(&l.runtimeS)),
		"max_consecutive_errors": spec.AtLeast(1, &l.consecutiveErrors),
		"signature":              l.signature.read,
	})
	return l, err
}

// signatureSettings say how the detector of signatures is opened.
type signatureSettings struct {
	reading spec.Reading
	config  spec.Value // its own configuration; absent for its defaults
}

// read is the [spec.Setting] of the member signature. What it leaves in config, the detector checks itself.
func (s *signatureSettings) read(field string, v spec.Value) error {
	if v.Kind() != spec.Object { // GU-14
		return spec.BadConfig(field, "want an object, got %s", v.Kind())
	}
	s.config = v.Without("reading")
	reading := v.Get("reading")
	if reading.IsAbsent() {
		return nil
	}
	name, _ := reading.Str()
	s.reading = spec.Reading(name)
	if s.reading != spec.Text && s.reading != spec.Code {
		return spec.BadConfig(field, "reading: want text or code, got %s", reading)
	}
	return nil
}

// open returns a detector of signatures with an empty trace, or its own complaint about the configuration.
func (s signatureSettings) open() (signatureDetector, error) {
	d, err := signature.Implementation().New(s.reading, s.config)
	if err != nil {
		return nil, err
	}
	return d.(signatureDetector), nil // the reference's detectors all have snapshots
}
