package rulecases

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// otherwise is a stream whose configuration has another number than the one that is meant.
type otherwise struct {
	spec.Port

	change func(config spec.Value) spec.Value
}

// Open opens a session with the changed configuration.
func (o otherwise) Open(
	ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value,
) (spec.Session, error) {
	if config.IsAbsent() {
		config = spec.ObjectValue()
	}
	return o.Port.Open(ctx, spec.Stream, reading, o.change(config))
}

// TestEachNumberOfStreamIsDecided: a port of stream, or of a profile, that is off by one in any number of the
// configuration fails a case; one that ignores the number and takes the default fails one of stream.
func TestEachNumberOfStreamIsDecided(t *testing.T) {
	if testing.Short() {
		t.Skip("each number is three ports: make long runs it")
	}
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	all, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	row, _ := spec.DefinitionOf(spec.Stream)
	asked := lists.Filter(suite, func(c cases.Case) bool { return c.Detector == spec.Stream && !c.IsLong() })
	checkNumbers(t, row, spec.Offer{}, asked, -1, 0, 1)
	for _, p := range all {
		if offer := p.Offer(); offer.Detector.Row() == spec.Stream {
			checkNumbers(t, row, offer, lists.Filter(askedOf(t, offer), func(c cases.Case) bool { return !c.IsLong() }), -1, 1)
		}
	}
}

// checkNumbers asks a port for each number and each step by which it differs; a step of 0 stands for the default.
func checkNumbers(t *testing.T, row spec.Definition, offer spec.Offer, asked []cases.Case, steps ...int) {
	t.Helper()
	port := reference.Port()
	if offer.Detector != "" {
		port = reference.Port(offer)
	}
	for _, setting := range row.Settings {
		usual, isNumber := setting.Default.Int()
		isOfRules := offer.Fixed.IsAbsent() || slices.ContainsFunc(row.Asked(offer.Fixed), func(k spec.VerdictKind) bool {
			return slices.Contains(setting.Rules, k)
		})
		if !isNumber || !isOfRules {
			continue
		}
		for _, step := range steps {
			t.Run(fmt.Sprintf("%s %s %+d", offer.Detector, setting.Name, step), func(t *testing.T) {
				t.Parallel()
				change := func(config spec.Value) spec.Value {
					if offer.Detector != "" {
						config = offer.Fixed
					}
					n, given := config.Get(setting.Name).Int()
					switch {
					case step == 0:
						return config.Without(setting.Name)
					case !given && config.Get(setting.Name).IsAbsent():
						n = usual
					case !given || n < 1: // it is to be refused
						return config
					}
					return config.With(setting.Name, spec.IntValue(max(n+step, 1)))
				}
				if got := outcomeOf(t, otherwise{port, change}, asked); got != conformance.NotConformant {
					t.Errorf("it is %s in %d cases", got, len(asked))
				}
			})
		}
	}
}
