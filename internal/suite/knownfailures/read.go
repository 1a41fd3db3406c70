package knownfailures

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Read reads a list, which may be empty. The name is only used for places. Everything that is wrong with the file
// is returned, joined, one problem a line with file, line and column; the list is then nil.
func Read(name string, text []byte) (*List, error) {
	doc, err := strictyaml.Parse(name, text)
	if err != nil {
		return nil, err
	}
	l := &List{}
	if err := doc.Read(map[string]strictyaml.Reader{"known": readEntries(&l.Entries)}, "known"); err != nil {
		return nil, err
	}
	return l, nil
}

func readEntries(into *[]Entry) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind != spec.Array {
			return n.Problemf("want a list of known failures, got %s", n.Kind)
		}
		var problems []error
		for _, item := range n.Items {
			e, err := readEntry(item)
			*into, problems = append(*into, e), append(problems, err)
		}
		return errors.Join(problems...)
	}
}

func readEntry(n *strictyaml.Node) (Entry, error) {
	e := Entry{Step: noStep, Place: n.Place}
	err := n.Read(map[string]strictyaml.Reader{
		"case":    checked(&e.Case, checkPattern),
		"reading": checked((*string)(&e.Reading), checkReading),
		"step":    strictyaml.Int(0, &e.Step),
		"differs": strictyaml.Strs(&e.Differs),
		"reason":  checked(&e.Reason, checkReason),
		"url":     checked(&e.URL, checkURL),
		"expires": checked(&e.Expires, checkDate),
	}, "case", "reason")
	e.Reason = oneLine(e.Reason)
	return e, err
}

// checked returns the Reader of a text that a check finds nothing wrong with.
func checked(into *string, check func(text string) string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if err := strictyaml.Str(into)(n); err != nil {
			return err
		}
		if problem := check(n.Text); problem != "" {
			return n.Problemf("%s", problem)
		}
		return nil
	}
}

func checkPattern(text string) string {
	if strings.Contains(text, "(") {
		return fmt.Sprintf("the pattern %q: ids have no brackets; a reading is a member of its own, reading: code", text)
	}
	_, err := path.Match(text, "")
	return unless(err == nil, "the pattern %q: %v", text, err)
}

func checkReading(text string) string {
	r := spec.Reading(text)
	return unless(r == spec.Text || r == spec.Code, "want the reading %s or %s, got %q", spec.Text, spec.Code, text)
}

func checkReason(text string) string {
	return unless(oneLine(text) != "", "the reason is blank: say why the port fails here")
}

func checkURL(text string) string {
	u, err := url.Parse(text)
	return unless(err == nil && u.Scheme != "" && u.Host != "",
		"want an address such as https://example.com/issues/7, got %q", text)
}

func checkDate(text string) string {
	_, err := time.Parse(time.DateOnly, text)
	return unless(err == nil, "want a day such as \"2027-01-31\", got %q", text)
}

// unless returns nothing where all is well, else the problem.
func unless(well bool, problem string, args ...any) string {
	if well {
		return ""
	}
	return fmt.Sprintf(problem, args...)
}
