package label

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loopstone/loopstone/internal/lists"
)

// Step is one call with its result, as the page shows it.
type Step struct {
	Before []string `json:"before,omitempty"` // what was said since the step before
	Tool   string   `json:"tool"`
	Args   string   `json:"args"`
	Result *string  `json:"result"`          // nil if none came
	After  []string `json:"after,omitempty"` // of the last step: what was said behind it
}

// Source is where the runs are.
type Source interface {
	Runs() []Run
	Steps(context.Context, Run) ([]Step, error)
}

// Server shows the runs of a source on a page and saves what a labeller marks there.
type Server struct {
	Source   Source
	File     *File
	Labeller string

	runs   []Run // in the order in which they are shown
	token  string
	host   string
	saving sync.Mutex // one label is compared and saved at a time
}

// How long a client may take for the head of a request, for all of it, and from one to the next: the page needs
// milliseconds, and a connection that is left open costs a descriptor.
const (
	mostHead = 10 * time.Second
	mostBody = 30 * time.Second
	mostIdle = 30 * time.Second
)

//go:embed page
var page embed.FS

// Shuffle sets the order of the runs: one and the same for one seed, whatever else the corpus holds.
func (s *Server) Shuffle(seed uint64) {
	place := func(r Run) uint64 { return Place(seed, r.Corpus, r.Run) }
	s.runs = slices.SortedFunc(slices.Values(s.Source.Runs()), func(a, b Run) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Run, b.Run))
	})
}

// Place returns where something of these names stands in the order of a seed.
func Place(seed uint64, names ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d\x00%s", seed, strings.Join(names, "\x00"))
	return h.Sum64()
}

// Serve listens on a free port of the loopback interface, tells the address of the page, and serves it until the
// context ends. The address holds a token, without which nothing is shown: other users of the machine do not know it.
func (s *Server) Serve(ctx context.Context, tell func(url string)) error {
	if len(s.runs) == 0 {
		s.Shuffle(0)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.token, s.host = rand.Text(), listener.Addr().String()
	server := &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: mostHead, ReadTimeout: mostBody, IdleTimeout: mostIdle,
	}
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = server.Shutdown(end) // what is not ended then is cut off
		_ = server.Close()
	})
	defer stop()
	tell("http://" + s.host + "/" + s.token + "/")
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for url, file := range map[string]string{"/{$}": "page.html", "/page.js": "page.js", "/page.css": "page.css"} {
		mux.HandleFunc("GET "+url, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, page, "page/"+file)
		})
	}
	mux.HandleFunc("GET /next", answer(s.next))
	mux.HandleFunc("GET /run/{run}", answer(s.show))
	mux.HandleFunc("GET /run/{run}/alike/{step}", answer(s.alike))
	mux.HandleFunc("PUT /run/{run}", answer(s.save))
	inside := http.StripPrefix("/"+s.token, mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		if r.Host != s.host { // a page elsewhere whose name was made to lead here
			http.Error(w, "this page is served to "+s.host+" only", http.StatusForbidden)
			return
		}
		inside.ServeHTTP(w, r)
	})
}

// refusal is an error that the page made, not the machine.
type refusal struct {
	error
	status int // of the response
}

func badRequest(err error) error { return refusal{err, http.StatusBadRequest} }

// answer turns what a handler returns into JSON, and its error into a line of text.
func answer(handle func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := handle(r)
		refused, isRefusal := errors.AsType[refusal](err)
		switch {
		case isRefusal:
			http.Error(w, err.Error(), refused.status)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v) // who asked is gone
		}
	}
}

// shown is a run as the page gets it.
type shown struct {
	Number   int    `json:"number"` // from 1, in the order in which runs are shown
	Of       int    `json:"of"`
	Finished int    `json:"finished"` // of all runs, how many the labeller has finished
	Run      string `json:"run"`
	Steps    []Step `json:"steps"`
	saved
}

// next returns the number of the first run that the labeller has not finished, 0 if there is none.
func (s *Server) next(*http.Request) (any, error) {
	return 1 + slices.IndexFunc(s.runs, func(r Run) bool { return !s.labelOf(r).Finished }), nil
}

func (s *Server) labelOf(run Run) Label {
	if l, ok := s.File.Of(run, s.Labeller); ok {
		return l
	}
	return Label{Corpus: run.Corpus, Run: run.Run, Labeller: s.Labeller, Spans: []Span{}}
}

// asked returns the run that a request names, with its steps.
func (s *Server) asked(r *http.Request) (Run, []Step, error) {
	n, err := number(r, "run", len(s.runs))
	if err != nil {
		return Run{}, nil, err
	}
	steps, err := s.Source.Steps(r.Context(), s.runs[n-1])
	return s.runs[n-1], steps, err
}

// number returns a number from 1 to most in the path of a request.
func number(r *http.Request, what string, most int) (int, error) {
	n, err := strconv.Atoi(r.PathValue(what))
	if err != nil || n < 1 || n > most {
		return 0, badRequest(fmt.Errorf("there is no %s %s: they are 1 to %d", what, r.PathValue(what), most))
	}
	return n, nil
}

func (s *Server) show(r *http.Request) (any, error) {
	run, steps, err := s.asked(r)
	if err != nil {
		return nil, err
	}
	finished := lists.Count(s.runs, func(other Run) bool { return s.labelOf(other).Finished })
	saved := savedOf(s.labelOf(run), steps)
	return shown{1 + slices.Index(s.runs, run), len(s.runs), finished, run.Run, steps, saved}, nil
}

// alike returns for each step how it resembles one of them.
func (s *Server) alike(r *http.Request) (any, error) {
	_, steps, err := s.asked(r)
	if err != nil {
		return nil, err
	}
	k, err := number(r, "step", len(steps))
	if err != nil {
		return nil, err
	}
	return lists.Map(steps, func(step Step) Likeness { return likenessOf(step, steps[k-1]) }), nil
}
