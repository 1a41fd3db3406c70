package label

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/loopstone/loopstone/internal/wording"
)

// saved is a label with what the page must know to change it.
type saved struct {
	Label   Label  `json:"label"`
	Version string `json:"version"` // of the label and of the steps: another one if either has changed
}

func savedOf(l Label, steps []Step) saved {
	text, err := json.Marshal([]any{l, steps})
	if err != nil {
		panic(err) // texts, numbers and lists of them
	}
	return saved{l, fmt.Sprintf("%x", sha256.Sum256(text))}
}

// save takes over the members that a labeller marks: spans, begun, unsure and finished. It refuses those of a page that
// shows another label, which a second window has changed meanwhile, or other steps than the log now has.
func (s *Server) save(r *http.Request) (any, error) {
	run, steps, err := s.asked(r)
	if err != nil {
		return nil, err
	}
	l, err := readLabel(r.Body)
	if err != nil {
		return nil, badRequest(err)
	}
	l.Corpus, l.Run, l.Labeller, l.Steps = run.Corpus, run.Run, s.Labeller, len(steps)
	s.saving.Lock()
	defer s.saving.Unlock()
	if r.Header.Get("If-Match") != savedOf(s.labelOf(run), steps).Version {
		return nil, refusal{errors.New("another window has changed the label, or the log has changed"), http.StatusConflict}
	}
	if err := l.Check(); err != nil {
		return nil, badRequest(err)
	}
	return savedOf(l, steps), s.File.Save(l)
}

// mostLabel is how large a label may be, in bytes.
const mostLabel = 1 << 20

// readLabel reads what a page sends. A member that is unknown is an error: what it says would be lost.
func readLabel(body io.Reader) (Label, error) {
	text, err := io.ReadAll(io.LimitReader(body, mostLabel+1))
	if err != nil {
		return Label{}, err
	}
	if len(text) > mostLabel {
		return Label{}, fmt.Errorf("the label has more than %d MB", mostLabel>>20)
	}
	var l *Label
	if err := wording.ReadWholeJSON(text, &l); err != nil {
		return Label{}, err
	}
	if l == nil || l.Spans == nil {
		return Label{}, errors.New("want one label with spans")
	}
	return *l, nil
}
