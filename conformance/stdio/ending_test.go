//go:build unix

package stdio_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/faulty"
	"github.com/loopstone/loopstone/spec"
)

// How adapters that are well otherwise let themselves be ended.
var endings = []struct {
	animal, why string
	orderly     bool
	want        stdio.Ending
	sentence    string
}{
	{"healthy", "the normal case needs nothing", true, stdio.Ending{Shutdown: true}, "after shutdown: exit status 0"},
	{"nursery", "what is left behind is ended, and does not keep us waiting", true, stdio.Ending{Shutdown: true}, "after shutdown: exit status 0"},
	{
		"bad-exit", "a status other than 0 says that something went wrong", false,
		stdio.Ending{Shutdown: true, Exit: stdio.Exit{Code: 1}},
		"after shutdown: exit status 1",
	},
	{
		"mute-shutdown", "a runner must not wait for ever for the answer", false,
		stdio.Ending{},
		"no answer to shutdown; it took nothing to end it: exit status 0",
	},
	{
		"linger", "the end of its input and an answered shutdown are not enough", false,
		stdio.Ending{Shutdown: true, Needed: stdio.Terminated, Exit: stdio.Exit{Code: -1, Signal: "terminated"}},
		"it answered shutdown, but it took SIGTERM to end it: signal terminated",
	},
	{
		"stubborn", "not even SIGTERM is enough", false,
		stdio.Ending{Shutdown: true, Needed: stdio.Killed, Exit: stdio.Exit{Code: -1, Signal: "killed"}},
		"it answered shutdown, but it took SIGKILL to end it: signal killed",
	},
}

func TestCloseTakesWhatItNeeds(t *testing.T) {
	for _, x := range endings {
		t.Run(x.animal, func(t *testing.T) {
			t.Parallel()
			got, err := visit(t, x.animal, brisk)
			if err != nil {
				t.Fatal(err)
			}
			got.Stderr = ""
			if got != x.want || got.Orderly() != x.orderly || got.String() != x.sentence {
				t.Errorf("%s:\n got %+v: %s\nwant %+v: %s", x.why, got, got, x.want, x.sentence)
			}
		})
	}
}

func TestCloseAfterAFailureTellsTheFailure(t *testing.T) {
	t.Parallel()
	command, _ := catch(t, "exit")
	client, err := stdio.Start(t.Context(), command, brisk)
	if err != nil {
		t.Fatal(err)
	}
	gone := expectReason(t, provoke(t.Context(), client), stdio.Exited)
	ending := client.Close()
	if ending.Orderly() || ending.Failure != gone || ending.Exit.Code != 3 || ending.Stderr != "that was too much\n" {
		t.Errorf("got %+v", ending)
	}
}

func TestCloseNoticesAnAdapterThatIsGoneAlready(t *testing.T) {
	t.Parallel()
	command, _ := catch(t, "exit-0@2")
	client, err := stdio.Start(t.Context(), command, brisk)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Open(t.Context(), spec.History, spec.Code, spec.Value{})
	expectReason(t, err, stdio.Exited)
	if ending := client.Close(); ending.Orderly() {
		t.Errorf("an exit with status 0 that nobody asked for is not orderly: %+v", ending)
	}
}

func TestCallsAfterCloseSaySo(t *testing.T) {
	t.Parallel()
	for name, client := range clients(t) {
		t.Run(name, func(t *testing.T) {
			s := openSession(t, client)
			if err := client.Err(); err != nil {
				t.Errorf("before Close: %v", err)
			}
			first := client.Close()
			_, err := s.Observe(t.Context(), []spec.Value{event})
			expectReason(t, err, stdio.Closed)
			if again := client.Close(); !reflect.DeepEqual(first, again) {
				t.Errorf("Close again: got %+v, want %+v", again, first)
			}
		})
	}
}

func TestCloseWhileCallsAreInFlight(t *testing.T) {
	t.Parallel()
	options := stdio.Options{StopTimeout: 100 * time.Millisecond, Window: 2}
	client, err := stdio.Pipe(t.Context(), slowPort{faulty.Port(), time.Hour}, options)
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 5)
	for range cap(errs) { // two wait for their answers, three to be sent
		go func() {
			_, err := client.Call(t.Context(), "history.hash", "", spec.ObjectValue())
			errs <- err
		}()
	}
	time.Sleep(20 * time.Millisecond)
	client.Close()
	for range cap(errs) {
		expectReason(t, <-errs, stdio.Closed)
	}
}
