package label

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type oneRun []Step

func (oneRun) Runs() []Run { return []Run{{"runs", "a"}} }

func (steps oneRun) Steps(context.Context, Run) ([]Step, error) { return steps, nil }

// served serves a run to ann until the test ends, and returns the page's address, with a slash at its end.
func served(t *testing.T, steps int) (url string, file *File) {
	t.Helper()
	file = opened(t, filepath.Join(t.TempDir(), "ann.jsonl"))
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	server := Server{Source: make(oneRun, steps), File: file, Labeller: "ann"}
	go func() { ended <- server.Serve(ctx, func(url string) { address <- url }) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return <-address, file
}

// asked sends a request as the page does and returns the answer's status and text.
func asked(t *testing.T, method, url, host, version, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Host = host
	if method == http.MethodPut {
		request.Header.Set("If-Match", version)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// versionOf returns the version in an answer.
func versionOf(t *testing.T, text string) string {
	t.Helper()
	var s saved
	if err := json.Unmarshal([]byte(text), &s); err != nil || s.Version == "" {
		t.Fatalf("%v in %s", err, text)
	}
	return s.Version
}

func TestThePageIsForWhoKnowsItsAddress(t *testing.T) {
	url, file := served(t, 4)
	root := url[:strings.Index(url[len("http://"):], "/")+len("http://")+1]
	_, text := asked(t, "GET", url+"run/1", "", "", "")
	version := versionOf(t, text)
	for _, test := range []struct {
		method, url, host, body string
		want                    int
	}{
		{"GET", url, "", "", http.StatusOK},
		{"GET", url + "run/1", "", "", http.StatusOK},
		{"GET", url + "run/2", "", "", http.StatusBadRequest},
		{"GET", root, "", "", http.StatusNotFound},
		{"GET", root + "AAAAAAAAAAAAAAAAAAAAAAAAAA/run/1", "", "", http.StatusNotFound},
		{"GET", url + "run/1", "evil.example", "", http.StatusForbidden},
		{"PUT", url + "run/1", "", `{"spans":[{"first":1,"last":9,"kind":"same"}]}`, http.StatusBadRequest},
		{"PUT", url + "run/1", "", `{"spans":[{"first":1,"last":4,"kind":"same"}]}`, http.StatusOK},
	} {
		if got, text := asked(t, test.method, test.url, test.host, version, test.body); got != test.want {
			t.Errorf("%s %s as %q: %d, want %d: %s", test.method, test.url, test.host, got, test.want, text)
		}
	}
	if l, _ := file.Of(Run{"runs", "a"}, "ann"); !cmp.Equal(l.Spans, []Span{{1, 4, Same}}) {
		t.Errorf("saved: %v", l)
	}
}

// TestAPageThatIsBehindReplacesNoLabel: two windows show one run, and the second does not know what the first saved.
func TestAPageThatIsBehindReplacesNoLabel(t *testing.T) {
	url, file := served(t, 4)
	_, text := asked(t, "GET", url+"run/1", "", "", "")
	both := versionOf(t, text)
	loop := `{"spans":[{"first":1,"last":4,"kind":"same"}]}`
	status, text := asked(t, "PUT", url+"run/1", "", both, loop)
	if status != http.StatusOK {
		t.Fatal(text)
	}
	newer := versionOf(t, text)
	for _, version := range []string{both, ""} {
		status, text := asked(t, "PUT", url+"run/1", "", version, `{"spans":[],"unsure":true}`)
		if status != http.StatusConflict || !strings.Contains(text, "another window") {
			t.Errorf("version %q: %d %s", version, status, text)
		}
	}
	if l, _ := file.Of(Run{"runs", "a"}, "ann"); !l.HasLoop() || l.Unsure {
		t.Errorf("saved: %v", l)
	}
	if status, text := asked(t, "PUT", url+"run/1", "", newer, `{"spans":[],"unsure":true}`); status != http.StatusOK {
		t.Errorf("the window that is not behind: %d %s", status, text)
	}
}

func TestWhatIsNoLabelChangesNothing(t *testing.T) {
	url, file := served(t, 4)
	_, text := asked(t, "GET", url+"run/1", "", "", "")
	loop := `{"spans":[{"first":1,"last":4,"kind":"same"}]}`
	_, text = asked(t, "PUT", url+"run/1", "", versionOf(t, text), loop)
	version := versionOf(t, text)
	for reason, body := range map[string]string{
		"null": "null", "no spans": "{}", "a misspelt member": `{"spans":[],"finshed":true}`, "two labels": loop + loop,
		"a number that no step has": `{"spans":[{"first":1e400,"last":4,"kind":"same"}]}`,
		"2 MB":                      `{"spans":[],"run":"` + strings.Repeat("x", 2*mostLabel) + `"}`,
	} {
		if status, text := asked(t, "PUT", url+"run/1", "", version, body); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", reason, status, text)
		}
	}
	if l, _ := file.Of(Run{"runs", "a"}, "ann"); !l.HasLoop() {
		t.Errorf("saved: %v", l)
	}
}

// TestAClientThatSendsNoMoreIsCutOff: each open connection costs a descriptor, and files need them.
func TestAClientThatSendsNoMoreIsCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the limit, half a minute")
	}
	url, _ := served(t, 4)
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	var open []net.Conn
	for _, target := range []string{"/" + path + "run/1", "/elsewhere"} {
		connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		fmt.Fprintf(connection, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 99\r\n\r\n{", target, host)
		if err := connection.SetReadDeadline(time.Now().Add(4 * (mostBody + mostIdle))); err != nil {
			t.Fatal(err)
		}
		open = append(open, connection)
	}
	for i, connection := range open {
		if _, err := io.Copy(io.Discard, connection); err != nil {
			t.Errorf("connection %d is still open: %v", i+1, err)
		}
	}
}
