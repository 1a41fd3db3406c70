package statement

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// problem is something wrong with a document, at a place in it.
type problem struct {
	pointer jsontext.Pointer // RFC 6901; empty for the whole document
	message string
}

// Error returns the place and the message in one line.
func (p *problem) Error() string {
	if p.pointer == "" {
		return p.message
	}
	return string(p.pointer) + ": " + p.message
}

// Read reads a statement as strictly as it is written: a member that is unknown, missing or of a wrong type, a result
// or detector that stands twice, and counts that are not those of the results are errors, which name the file and the JSON pointer
// to the first place that is wrong. The name is only used for them.
func Read(name string, text []byte) (Statement, error) {
	s, err := read(text)
	if err != nil {
		return Statement{}, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func read(text []byte) (Statement, error) {
	var s Statement
	v, err := spec.ParseValue(text)
	if err != nil {
		return s, placed(err)
	}
	if format := v.Get("format"); !format.IsAbsent() && !format.Equal(spec.IntValue(Format)) {
		return s, &problem{"/format", fmt.Sprintf("the format is %s, and only %d can be read", format, Format)}
	}
	if err := json.Unmarshal(text, &s, json.RejectUnknownMembers(true)); err != nil {
		return s, placed(err)
	}
	written, err := valueOf(s)
	if err != nil {
		return s, err
	}
	if p := firstDifference(written, v, ""); p != nil {
		return s, p
	}
	return s, s.check()
}

// placed says where in the document an error of the JSON library lies.
func placed(err error) error {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntax):
		return &problem{syntax.JSONPointer, fmt.Sprintf("not JSON, at byte %d: %v", syntax.ByteOffset, syntax.Err)}
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &semantic):
		return &problem{semantic.JSONPointer, "unknown member"}
	case errors.As(err, &semantic):
		return &problem{semantic.JSONPointer, "a value of a wrong type, or out of range"}
	default:
		return err
	}
}

// firstDifference returns the first place where a document is not what this package writes for the same statement: a
// member that is missing, or written though it is empty. It assumes that every member of got is known.
func firstDifference(want, got spec.Value, at jsontext.Pointer) *problem {
	for _, m := range want.Members() {
		if got.Get(m.Name).IsAbsent() {
			return &problem{at.AppendToken(m.Name), "the member is missing"}
		}
	}
	for _, m := range got.Members() {
		if want.Get(m.Name).IsAbsent() {
			return &problem{at.AppendToken(m.Name), "the member is empty; leave it out"}
		}
		if p := firstDifference(want.Get(m.Name), m.Value, at.AppendToken(m.Name)); p != nil {
			return p
		}
	}
	for i, item := range got.Items() {
		if p := firstDifference(want.Items()[i], item, at.AppendToken(fmt.Sprint(i))); p != nil {
			return p
		}
	}
	if !want.Equal(got) {
		return &problem{at, fmt.Sprintf("the value %s is read as %s", got, want)}
	}
	return nil
}

// check checks what the types do not say.
func (s *Statement) check() error {
	if s.Suite.Digest == "" {
		return &problem{"/suite/digest", "the digest is empty: nobody could tell what the statement is about"}
	}
	if _, err := time.Parse(time.DateOnly, s.Date); err != nil {
		return &problem{"/date", fmt.Sprintf("want a day such as 2027-01-31, got %q", s.Date)}
	}
	for i, offer := range s.Detectors {
		if slices.ContainsFunc(s.Detectors[:i], func(o conformance.OfferInfo) bool { return o.Detector == offer.Detector }) {
			return &problem{jsontext.Pointer("/detectors").AppendToken(fmt.Sprint(i)), fmt.Sprintf("%s stands there twice", offer.Detector)}
		}
	}
	seen := map[key]bool{}
	for i, r := range s.Results {
		at := jsontext.Pointer("/results").AppendToken(fmt.Sprint(i))
		switch {
		case r.Case == "":
			return &problem{at + "/case", "the id is empty"}
		case new(Count).of(r.Status) == nil:
			return &problem{at + "/status", fmt.Sprintf("there is no status %q", r.Status)}
		case seen[r.key()]:
			return &problem{at, fmt.Sprintf("%s stands there twice", r.key())}
		}
		seen[r.key()] = true
	}
	return s.checkCounts()
}

// checkCounts checks that the counts are those of the results.
func (s *Statement) checkCounts() error {
	counts := count(s.Results)
	if slices.Equal(counts, s.Counts) {
		return nil
	}
	for i, c := range counts {
		if i < len(s.Counts) && s.Counts[i] != c {
			return &problem{jsontext.Pointer("/counts").AppendToken(fmt.Sprint(i)), "the results have other counts"}
		}
	}
	return &problem{"/counts", fmt.Sprintf("there are %d, and the results have %d", len(s.Counts), len(counts))}
}
