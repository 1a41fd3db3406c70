package cases

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Placeholders in the texts of an exchange, filled by the runner.
const (
	DetectorPlaceholder = "${detector}" // a detector that the port offers
	ReadingPlaceholder  = "${reading}"  // one of its readings
	PadPlaceholder      = "${pad}"      // as many letters x as the step's pad says
	BytePlaceholder     = "${byte-ff}"  // the byte 0xff, which no UTF-8 has
	ConfigPlaceholder   = "${config}"   // as a whole value: a configuration of the detector, with which these are a loop:
	BeforePlaceholder   = "${before}"   // events without a loop,
	LastPlaceholder     = "${last}"     // and one that is a loop after them, and none alone
	AnyPlaceholder      = "${any}"      // in what is received: any value, but it is there; {each: …} is a list of such
	IDPlaceholder       = "${id}"       // in what is received: the id of a detector
	NamePlaceholder     = "${name}"     // in what is received: the name of a reading, feature, rule, member or setting
)

// IsPlaceholder reports whether a text of what is received stands for any of several values.
func IsPlaceholder(text string) bool {
	return text == AnyPlaceholder || text == IDPlaceholder || text == NamePlaceholder
}

// NeedsLoop reports whether the exchange sends events that are a loop for the port's detector.
func (c Case) NeedsLoop() bool {
	return slices.ContainsFunc(c.Exchange, func(s ExchangeStep) bool {
		return strings.Contains(s.Send, `"`+LastPlaceholder+`"`)
	})
}

// Numbered returns what a step sends and what it receives the n-th time, from 1.
func (s ExchangeStep) Numbered(n int) (send string, receive spec.Value) {
	if s.Times == 0 {
		return s.Send, s.Receive
	}
	number := strconv.Itoa(n)
	return strings.ReplaceAll(s.Send, numberMark, number), replaced(s.Receive, numberMark, number)
}

// ExchangeStep is one step of an exchange of raw protocol lines. Exactly one of Send, Receive, CloseInput and Exit is
// set.
type ExchangeStep struct {
	Send       string // a line, without its end
	Split      []int  // the byte offsets at which the writing pauses
	Pad        int    // how many letters PadPlaceholder stands for
	Times      int    // how often the line is sent or received, with its number for each ${n}; 0 means once
	Receive    spec.Value
	CloseInput bool
	Exit       *int // the adapter must exit with this status, and print nothing before

	Place strictyaml.Place
}

func readExchangeStep(n *strictyaml.Node) (ExchangeStep, error) {
	step := ExchangeStep{Place: n.Place}
	if err := n.Read(exchangeReaders(&step)); err != nil {
		return step, err
	}
	if actions := n.Count("send", "raw", "receive", "close", "exit"); actions != 1 {
		return step, n.Problemf("a step is one of send, raw, receive, close, exit; this is %d of them", actions)
	}
	if step.Times > 0 && n.Count("send", "raw", "receive") == 0 {
		return step, n.Problemf("times is for lines only")
	}
	return step, nil
}

func exchangeReaders(step *ExchangeStep) map[string]strictyaml.Reader {
	return map[string]strictyaml.Reader{
		"send": func(n *strictyaml.Node) error {
			if n.Kind != spec.Object {
				return n.Problemf("send: want a mapping, the message without jsonrpc; use raw for other lines")
			}
			step.Send = withVersion(n.Value()).String()
			return nil
		},
		"raw": func(n *strictyaml.Node) error {
			if n.Kind != spec.String || strings.Contains(n.Text, "\n") {
				return n.Problemf("raw: want a text of one line")
			}
			step.Send = n.Text
			return nil
		},
		"split":   strictyaml.By(&step.Split, readOffsets),
		"pad":     strictyaml.Int(1, &step.Pad),
		"times":   strictyaml.Int(1, &step.Times),
		"receive": strictyaml.Mapping(&step.Receive),
		"close":   strictyaml.Bool(&step.CloseInput),
		"exit": func(n *strictyaml.Node) error {
			status := 0
			step.Exit = &status
			return strictyaml.Int(0, step.Exit)(n)
		},
	}
}

// withVersion puts the jsonrpc member first, unless the message has one.
func withVersion(message spec.Value) spec.Value {
	if !message.Get("jsonrpc").IsAbsent() {
		return message
	}
	version := spec.Member{Name: "jsonrpc", Value: spec.StringValue("2.0")}
	return spec.ObjectValue(append([]spec.Member{version}, message.Members()...)...)
}

func readOffsets(n *strictyaml.Node) ([]int, error) {
	offsets := make([]int, len(n.Items))
	for i, item := range n.Items {
		if err := strictyaml.Int(1, &offsets[i])(item); err != nil {
			return nil, err
		}
	}
	if len(offsets) == 0 {
		return nil, n.Problemf("split: want a list of byte offsets")
	}
	return offsets, nil
}
