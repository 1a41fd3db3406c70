package stdio

import (
	"cmp"
	"time"
)

// What an [Options] member stands for where it is not set.
const (
	// DefaultStartTimeout is generous: an interpreter behind a version manager, or a virtual machine that warms up,
	// takes a second or more on a busy machine.
	DefaultStartTimeout = 15 * time.Second
	// DefaultRequestTimeout is far above what a detector needs for the largest batch of the suite.
	DefaultRequestTimeout = 5 * time.Second
	// DefaultStopTimeout is time enough for an interpreter to run its exit handlers.
	DefaultStopTimeout = 2 * time.Second
	// DefaultStderrLimit is how much of the end of stderr is kept, in bytes.
	DefaultStderrLimit = 64 << 10
	// DefaultAnswerLimit is the length of the longest answer, in bytes: far above a batch of verdicts, far below what
	// a runner's memory would notice.
	DefaultAnswerLimit = 16 << 20
	// DefaultWindow is how many requests are in flight at most: measured, more make no adapter faster.
	DefaultWindow = 256
)

// Options are the limits that an adapter must keep. Members that are zero or below stand for the defaults.
type Options struct {
	SuiteVersion string // told to the adapter; "devel" where empty

	StartTimeout   time.Duration // from the start to the first answer
	RequestTimeout time.Duration // from the request, or the answer before it if that came later, to the answer
	StopTimeout    time.Duration // for each step of stopping

	StderrLimit int // bytes of stderr that are kept
	AnswerLimit int // bytes of the longest line that the adapter may print
	Window      int // requests in flight
}

func (o Options) withDefaults() Options {
	setDefault(&o.SuiteVersion, "devel")
	setDefault(&o.StartTimeout, DefaultStartTimeout)
	setDefault(&o.RequestTimeout, DefaultRequestTimeout)
	setDefault(&o.StopTimeout, DefaultStopTimeout)
	setDefault(&o.StderrLimit, DefaultStderrLimit)
	setDefault(&o.AnswerLimit, DefaultAnswerLimit)
	setDefault(&o.Window, DefaultWindow)
	return o
}

func setDefault[T cmp.Ordered](member *T, value T) {
	var zero T
	if *member <= zero {
		*member = value
	}
}
