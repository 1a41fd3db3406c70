package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// callLine is a line of Loopstone's own format: three equal ones in a row are a loop to fingerprint.
func callLine(command string) string {
	return fmt.Sprintf(`{"type":"tool_call","tool":"bash","args":{"command":%q}}`+"\n", command)
}

// session is what a follower tells, while a test writes.
type session struct {
	t      *testing.T
	folder string
	told   chan string // "alarm FILE EVENT", or what is said of files
	early  []string    // what was told of files before it was said that they are followed
	stop   context.CancelFunc
	end    chan error
	all    []*Watcher
}

// begin follows paths below a folder of the test's own, joined by commas; the empty path is the folder. More detectors may look on.
func begin(t *testing.T, path string, before map[string]string, more ...alarm.Observer) *session {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &session{t: t, folder: t.TempDir(), told: make(chan string, 1000), stop: stop, end: make(chan error, 1)}
	for name, text := range before {
		s.write(name, text)
	}
	var paths []string
	for one := range strings.SplitSeq(path, ",") {
		paths = append(paths, s.folder+string(filepath.Separator)+one)
	}
	f := &Follower{
		Paths:      paths,
		NewWatcher: func() *Watcher { return &Watcher{Observers: append(watches(t), more...)} },
		Say: func(text string) {
			s.told <- strings.ReplaceAll(text, s.folder+string(filepath.Separator), "")
		},
		News: func(news []News) error {
			for _, n := range news {
				var text strings.Builder
				if err := Print(&text, []News{n}, Page{Below: []string{s.folder}}); err != nil {
					return err
				}
				name, _, _ := strings.Cut(strings.TrimSpace(text.String()), ":")
				s.told <- fmt.Sprintf("alarm %s %d", name, n.Alarm.At+1)
			}
			return nil
		},
	}
	go func() {
		var err error
		s.all, err = f.Run(ctx)
		s.end <- err
	}()
	for text := <-s.told; !strings.HasPrefix(text, "following "); text = <-s.told {
		s.early = append(s.early, text)
	}
	return s
}

func watches(t *testing.T) []alarm.Observer {
	description, err := reference.Port().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range alarm.ObserversOf(reference.Port(), "", description.Detectors) {
		if w.Detector == spec.Fingerprint {
			return []alarm.Observer{w}
		}
	}
	t.Fatal("the reference has no fingerprint")
	return nil
}

// write appends to a file.
func (s *session) write(name, text string) {
	s.t.Helper()
	file, err := os.OpenFile(filepath.Join(s.folder, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = file.WriteString(text)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// patience is far more than a busy machine needs to tell something.
const patience = time.Minute

// want waits for what is to be told next.
func (s *session) want(texts ...string) {
	s.t.Helper()
	for _, want := range texts {
		if len(s.early) > 0 {
			if s.early[0] != want {
				s.t.Fatalf("told %q, want %q", s.early[0], want)
			}
			s.early = s.early[1:]
			continue
		}
		select {
		case got := <-s.told:
			if got != want {
				s.t.Fatalf("told %q, want %q", got, want)
			}
		case err := <-s.end:
			s.t.Fatalf("it ended: %v", err)
		case <-time.After(patience):
			s.t.Fatalf("nothing was told in %v, want %q", patience, want)
		}
	}
}

// close interrupts, and returns what is told at the end.
func (s *session) close() error {
	s.t.Helper()
	s.stop()
	err := <-s.end
	close(s.told)
	for _, text := range s.early {
		s.t.Errorf("told as well: %q", text)
	}
	for text := range s.told {
		s.t.Errorf("told as well: %q", text)
	}
	return err
}

// TestALoopIsToldWhileItIsWritten, with the name of its session below the folder: two projects may have sessions of the
// same name.
func TestALoopIsToldWhileItIsWritten(t *testing.T) {
	t.Parallel()
	s := begin(t, "", nil)
	if err := os.Mkdir(filepath.Join(s.folder, "project"), 0o755); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("project", "new.jsonl")
	s.write(name, callLine("make")+callLine("make")[:30])
	s.write("notes.txt", callLine("make"))
	s.want(name + " (loopstone): a new session")
	s.write(name, callLine("make")[30:]+callLine("make"))
	s.want("alarm " + name + " 3")
	s.write(name, callLine("ls")+strings.Repeat(callLine("other"), 3))
	s.want("alarm " + name + " 7")
	if err := s.close(); err != nil || len(s.all) != 1 || s.all[0].Runs[0].Total.Events != 7 {
		t.Errorf("the error is %v", err)
	}
}

// TestWhatWasThereIsNotTold: it counts, though: the third equal call is the first that is new.
func TestWhatWasThereIsNotTold(t *testing.T) {
	t.Parallel()
	loop := strings.Repeat(callLine("make"), 3) + callLine("a") + callLine("b")
	s := begin(t, "", map[string]string{"idle.jsonl": loop, "old.jsonl": loop + callLine("x") + callLine("x")})
	s.write("other.jsonl", callLine("a"))
	s.want("other.jsonl (loopstone): a new session")
	s.write("old.jsonl", callLine("x"))
	s.want("old.jsonl (loopstone): 7 events so far; a loop is reported in 1 of 1 runs", "alarm old.jsonl 8")
	if err := s.close(); err != nil || len(s.all) != 2 {
		t.Errorf("%d files were read, and the error is %v", len(s.all), err)
	}
}

// TestAFollowedFileMayBeginWithAByteOrderMark: it is no part of the first record, also where it comes alone.
func TestAFollowedFileMayBeginWithAByteOrderMark(t *testing.T) {
	t.Parallel()
	const mark = "\ufeff"
	for reason, test := range map[string]struct{ before, after, said string }{
		"with events behind it": {
			mark + strings.Repeat(callLine("make"), 2), callLine("make"),
			"a.jsonl (loopstone): 2 events so far; a loop is reported in 0 of 1 runs",
		},
		"alone":                 {mark, strings.Repeat(callLine("make"), 3), "a.jsonl (loopstone): a new session"},
		"in a file that is new": {"", mark + strings.Repeat(callLine("make"), 3), "a.jsonl (loopstone): a new session"},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			s := begin(t, "a.jsonl", map[string]string{"a.jsonl": test.before})
			s.write("a.jsonl", test.after)
			s.want(test.said, "alarm a.jsonl 3")
			if err := s.close(); err != nil || len(s.all[0].Notes) > 0 {
				t.Errorf("the error is %v, the notes are %v", err, s.all[0].Notes)
			}
		})
	}
}

// TestAFileThatIsNamedTwiceIsFollowedOnce, however it is named: each of its loops would be told twice.
func TestAFileThatIsNamedTwiceIsFollowedOnce(t *testing.T) {
	t.Parallel()
	s := begin(t, "a.jsonl,./a.jsonl,", map[string]string{"a.jsonl": callLine("a")})
	s.want("a.jsonl (loopstone): 1 events so far; a loop is reported in 0 of 1 runs")
	s.write("a.jsonl", strings.Repeat(callLine("make"), 3))
	s.want("alarm a.jsonl 4")
	if err := s.close(); err != nil || len(s.all) != 1 {
		t.Errorf("%d files were read, and the error is %v", len(s.all), err)
	}
}

// TestALoopBehindABrokenLineIsTold: the line was there before and is left out, and what comes later is new.
func TestALoopBehindABrokenLineIsTold(t *testing.T) {
	t.Parallel()
	before := callLine("a") + "{" + callLine(strings.Repeat("lost", 200)) + strings.Repeat(callLine("make"), 2)
	s := begin(t, "a.jsonl", map[string]string{"a.jsonl": before})
	s.want("a.jsonl (loopstone): 3 events so far; a loop is reported in 0 of 1 runs")
	s.write("a.jsonl", callLine("make"))
	s.want("alarm a.jsonl 4")
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// TestAPortThatIsGoneEndsTheFollowing: it is no fault of the log, the others' alarm is told, and the port has no verdict
// on the event that it did not answer.
func TestAPortThatIsGoneEndsTheFollowing(t *testing.T) {
	t.Parallel()
	gone := errors.New("the port is gone")
	for reason, test := range map[string]struct {
		before, after string
		blind         string
	}{
		"behind what was there": {
			strings.Repeat(callLine("make"), 2), callLine("make"), "it answered 2 events: the port is gone.",
		},
		"within a batch": {
			callLine("make"), strings.Repeat(callLine("make"), 200), "it answered 1 event: the port is gone.",
		},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			s := begin(t, "a.jsonl", map[string]string{"a.jsonl": test.before}, dying(t, gone))
			before := strings.Count(test.before, "\n")
			s.want(fmt.Sprintf("a.jsonl (loopstone): %d events so far; a loop is reported in 0 of 1 runs", before))
			s.write("a.jsonl", test.after)
			s.want("alarm a.jsonl 3")
			err := <-s.end
			if !errors.Is(err, gone) || strings.Count(err.Error(), gone.Error()) != 1 || strings.Contains(err.Error(), "jsonl:") {
				t.Errorf("the error is %v", err)
			}
			r := s.all[0].Runs[0]
			if list := r.Disagreements(); len(list) > 0 {
				t.Errorf("a port that did not answer disagrees: %v", list)
			}
			if blind := r.Blind(); len(blind) != 1 || !strings.HasSuffix(blind[0], test.blind) {
				t.Errorf("not judged: %q", blind)
			}
		})
	}
}

// dyingPort answers two events, and is gone.
type dyingPort struct {
	spec.Port
	gone error
}

type dyingSession struct {
	spec.Session
	port dyingPort
	left int
}

func dying(t *testing.T, gone error) alarm.Observer {
	w := watches(t)[0]
	w.Port, w.Owner = dyingPort{w.Port, gone}, "dying"
	return w
}

func (p dyingPort) Open(
	ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value,
) (spec.Session, error) {
	session, err := p.Port.Open(ctx, d, r, config)
	return &dyingSession{session, p, 2}, err
}

func (s *dyingSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	if s.left -= len(events); s.left < 0 {
		return nil, s.port.gone
	}
	return s.Session.Observe(ctx, events)
}

func (s *dyingSession) Close(ctx context.Context) error {
	if s.left < 0 {
		return s.port.gone
	}
	return s.Session.Close(ctx)
}

func TestATruncatedOrReplacedFileIsReadAnew(t *testing.T) {
	t.Parallel()
	s := begin(t, "a.log", map[string]string{"a.log": callLine("first") + callLine("a") + callLine("b")})
	path := filepath.Join(s.folder, "a.log")
	s.want("a.log (loopstone): 3 events so far; a loop is reported in 0 of 1 runs")
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	s.want("a.log was truncated; reading it again from its beginning")
	s.write("a.log", strings.Repeat(callLine("make"), 3))
	s.want("a.log (loopstone): a new session", "alarm a.log 3")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	s.write("a.log", strings.Repeat(callLine("make"), 3))
	for got := range s.told { // the name may be missing for a moment, or be another file's at once
		if strings.HasPrefix(got, "alarm") {
			break
		}
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// TestWhatIsInterruptedIsNotReadAgain: a scan may still be under way, and would tell everything twice.
func TestWhatIsInterruptedIsNotReadAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte("{\"caf\xe8\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	f := &Follower{
		NewWatcher: func() *Watcher { return &Watcher{Observers: watches(t)} },
		Say:        func(string) { time.AfterFunc(2*interval, interrupt) }, // while it waits for more lines
	}
	file := &followed{reading: true}
	f.read(ctx, path, file)
	if !file.reading || file.notUTF8 != 1 {
		t.Errorf("reading: %t, after %d lines", file.reading, file.notUTF8)
	}
}

// TestALineThatIsBrokenIsLeftOut: a writer that died within a line goes on behind it.
func TestALineThatIsBrokenIsLeftOut(t *testing.T) {
	t.Parallel()
	s := begin(t, "", nil)
	s.write("a.jsonl", callLine("make")+`{"type":"tool_ca`+callLine("lost")+callLine("make")+"{\n"+callLine("make"))
	s.want("a.jsonl (loopstone): a new session", "alarm a.jsonl 3")
	if err := s.close(); err != nil {
		t.Error(err)
	}
	want := "lines that are not JSON in UTF-8 were left out: 2"
	if notes := s.all[0].Notes; len(notes) != 1 || notes[0].Text != want {
		t.Errorf("the notes are %v, want %s", notes, want)
	}
	if r := s.all[0].Runs[0]; len(r.Speaking()) != 1 || r.Speaking()[0].First.At != 2 {
		t.Error("the loop is not in the sum")
	}
}

// TestALineThatIsNotUTF8IsTold: at once, with its place, as an import does, be the format known yet or not; and it is
// an error at the end, which counts them.
func TestALineThatIsNotUTF8IsTold(t *testing.T) {
	t.Parallel()
	const why = ": not UTF-8: byte 0xe8; convert the log first, for example with iconv"
	for reason, before := range map[string]struct{ text, said string }{
		"in an empty file":            {"", ""},
		"behind an event":             {callLine("make"), "a.jsonl (loopstone): a new session"},
		"behind what tells no format": {`{"type":"summary","summary":"s","leafUuid":"l"}` + "\n", ""},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			s := begin(t, "", nil)
			s.write("a.jsonl", before.text)
			if before.said != "" {
				s.want(before.said)
			}
			first := strings.Count(before.text, "\n") + 1
			for line := first; line < first+3; line++ {
				s.write("a.jsonl", "{\"caf\xe8\":1}\n")
				s.want(fmt.Sprintf("a.jsonl:%d:6%s", line, why))
			}
			err := s.close()
			if err == nil || !strings.HasSuffix(err.Error(), "a.jsonl: lines that are not UTF-8 were left out: 3") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestASessionMayBeginWithAnyLine: Claude Code's may begin with lines that tell nothing of their format.
func TestASessionMayBeginWithAnyLine(t *testing.T) {
	t.Parallel()
	s := begin(t, "", nil)
	s.write("a.jsonl", `{"type":"summary","summary":"s","leafUuid":"l"}`+"\n")
	s.write("b.jsonl", callLine("a"))
	s.want("b.jsonl (loopstone): a new session")
	s.write("a.jsonl", `{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"go"}}`+"\n")
	s.want("a.jsonl (claude-code): a new session")
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

func TestAFileThatIsNoLogEndsIt(t *testing.T) {
	t.Parallel()
	s := begin(t, "a.txt", map[string]string{"a.txt": strings.Repeat("{}\n", mostUnknown)})
	s.want("a.txt:1: it is no recording of a known format")
	if err := <-s.end; err == nil || !strings.Contains(err.Error(), "no recording of a known format") {
		t.Errorf("the error is %v", err)
	}
}

func TestACommandIsRunForEachAlarm(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var said []string
	h := NewHook(t.Context(), "cat; exit 3", &out, func(text string) { said = append(said, text) })
	h.Run([]byte(`{"event":1}` + "\n"))
	h.Run([]byte(`{"event":2}` + "\n"))
	h.Close()
	for event := range 2 {
		var got struct{ Event int }
		line, err := out.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &got)
		}
		if err != nil || got.Event != event+1 {
			t.Errorf("the command got %s, %v", line, err)
		}
	}
	if len(said) != 2 || !strings.Contains(said[0], "exit status 3") {
		t.Errorf("said %q", said)
	}
}
