package stdio

import (
	"cmp"
	"os"
	"os/exec"
	"time"

	"github.com/loopstone/loopstone/internal/wording"
)

// Command says how to start an adapter.
type Command struct {
	Path string   // looked up in $PATH where it has no slash; a relative one is taken from Dir
	Args []string // without the name of the program
	Dir  string   // the runner's own where empty
	Env  []string // added to the runner's own environment, as NAME=value
}

// String returns the command as it would be typed, quoted where a shell would need it.
func (c Command) String() string { return wording.Shell(append([]string{c.Path}, c.Args...)...) }

// markName is the variable by which what an adapter started is found, wherever it went.
const markName = "LOOPSTONE_ADAPTER"

func (c Command) prepare(mark string) *exec.Cmd {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = append(append(os.Environ(), c.Env...), mark)
	return cmd
}

// The defaults of [Options].
const (
	// DefaultStartTimeout is generous: an interpreter behind a version manager, or a virtual machine that warms up,
	// takes a second or more on a busy machine.
	DefaultStartTimeout = 15 * time.Second
	// DefaultRequestTimeout is far above what a detector needs for the largest batch of the suite.
	DefaultRequestTimeout = 5 * time.Second
	// DefaultWindow is how many requests are in flight at most: measured, more make no adapter faster.
	DefaultWindow = 256

	// defaultStopTimeout is time enough for an interpreter to run its exit handlers.
	defaultStopTimeout = 2 * time.Second
	defaultStderrLimit = 64 << 10
	// defaultAnswerLimit is far above a batch of verdicts, and far below what a runner's memory would notice.
	defaultAnswerLimit = 16 << 20
)

// Options are the limits that an adapter must keep. Members that are zero or below stand for the defaults.
type Options struct {
	SuiteVersion string // told to the adapter; "devel" where empty

	StartTimeout   time.Duration // from the start to the first answer
	RequestTimeout time.Duration // from the request, or the answer before it if that came later, to the answer
	StopTimeout    time.Duration // for each step of stopping; by default 2 s

	// Left is called for each process that an adapter leaves behind, out of its process group, where it cannot be ended
	// with it; nil looks for none. Found where there is /proc.
	Left func(process string)

	hurried   bool          // see [Hurry]
	exitGrace time.Duration // see the constant

	StderrLimit int // bytes of stderr that are kept; by default 64 KiB
	AnswerLimit int // bytes of the longest line that the adapter may print; by default 16 MiB
	Window      int // requests in flight
}

func (o Options) withDefaults() Options {
	setDefault(&o.exitGrace, exitGrace)
	setDefault(&o.SuiteVersion, "devel")
	setDefault(&o.StartTimeout, DefaultStartTimeout)
	setDefault(&o.RequestTimeout, DefaultRequestTimeout)
	setDefault(&o.StopTimeout, defaultStopTimeout)
	setDefault(&o.StderrLimit, defaultStderrLimit)
	setDefault(&o.AnswerLimit, defaultAnswerLimit)
	setDefault(&o.Window, DefaultWindow)
	return o
}

// How long an adapter is waited for that does not answer, or that closes its output and goes on. One late answer may be
// the machine's fault, so that the next process has as much time; after a second one, every further process has a
// twentieth of it. At the usual limit, a run
// that hangs wherever it is asked waits less than 15 s in all.
const (
	FullWaits = 2  // answers that are waited for in vain as long as the limit says
	Hurry     = 20 // the part of the limit that is left after these
)

// hurriedUp returns the options with less time for each answer.
func (o Options) hurriedUp() Options {
	o = o.withDefaults()
	if !o.hurried {
		o.RequestTimeout, o.exitGrace, o.hurried = o.RequestTimeout/Hurry, o.exitGrace/Hurry, true
	}
	return o
}

func setDefault[T cmp.Ordered](member *T, value T) {
	var zero T
	if *member <= zero {
		*member = value
	}
}
