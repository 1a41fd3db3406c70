package minimal

import (
	"context"

	"github.com/loopstone/loopstone/spec"
)

// mutePort leaves out the evidence of its port's verdicts. Of a port that is wrong on purpose the verdict must give it
// away, and not that its evidence names events which are others than it thinks.
type mutePort struct{ spec.Port }

// Open implements [spec.Port].
func (p mutePort) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	session, err := p.Port.Open(ctx, id, reading, config)
	return muteSession{session}, err
}

type muteSession struct{ spec.Session }

// Observe implements [spec.Session].
func (s muteSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	verdicts, err := s.Session.Observe(ctx, events)
	if err != nil {
		return nil, err
	}
	for i, verdict := range verdicts {
		verdicts[i] = verdict.Without("evidence")
	}
	return verdicts, nil
}
