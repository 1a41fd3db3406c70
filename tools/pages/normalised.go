package pages

import (
	"context"
	"regexp"

	"github.com/loopstone/loopstone/spec"
)

// normalising is a port that compares results without what often changes in them: temporary files, times and numbers.
type normalising struct{ spec.Port }

// Open implements [spec.Port].
func (n normalising) Open(
	ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value,
) (spec.Session, error) {
	s, err := n.Port.Open(ctx, id, reading, config)
	return normalisingSession{s}, err
}

type normalisingSession struct{ spec.Session }

// Observe implements [spec.Session].
func (s normalisingSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	changed := make([]spec.Value, len(events))
	for i, e := range events {
		changed[i] = e
		for _, member := range []string{"content", "message"} { // of a result, of an error
			typ := spec.TypeOf(e)
			if text, isText := e.Get(member).Str(); isText && (typ == spec.ToolResult || typ == spec.ErrorEvent) {
				changed[i] = e.With(member, spec.StringValue(normalised(text)))
			}
		}
	}
	return s.Session.Observe(ctx, changed)
}

// What often changes in a result.
var (
	temporary = regexp.MustCompile(`(/tmp|/var/folders|/var/tmp)[/\w.+-]*`)
	numbers   = regexp.MustCompile(`0x[0-9a-fA-F]+|\b[0-9a-f]{7,40}\b|\d+`)
)

// normalised returns a text without it. Times consist of numbers.
func normalised(text string) string {
	return numbers.ReplaceAllString(temporary.ReplaceAllString(text, "TMP"), "0")
}
