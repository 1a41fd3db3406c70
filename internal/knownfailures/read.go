package knownfailures

import (
	"errors"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/loopstone/loopstone/internal/strictyaml"
	"github.com/loopstone/loopstone/spec"
)

// Read reads a ledger; an empty list is one. The name is only used for places. Everything that is wrong with the file
// is returned, joined, one problem a line with file, line and column; the ledger is then nil.
func Read(name string, text []byte) (*Ledger, error) {
	doc, err := strictyaml.Parse(name, text)
	if err != nil {
		return nil, err
	}
	l := &Ledger{}
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
	e := Entry{Step: AnyStep, Place: n.Place}
	err := n.Read(map[string]strictyaml.Reader{
		"case":    readPattern(&e.Case),
		"reading": readReading(&e.Reading),
		"step":    strictyaml.Int(0, &e.Step),
		"member":  strictyaml.Str(&e.Member),
		"reason":  readReason(&e.Reason),
		"url":     readURL(&e.URL),
		"expires": readDate(&e.Expires),
	}, "case", "reason")
	return e, err
}

func readPattern(into *string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if err := strictyaml.Str(into)(n); err != nil {
			return err
		}
		if strings.Contains(n.Text, "(") {
			return n.Problemf("the pattern %q: ids have no brackets; a reading is a member of its own, reading: code", n.Text)
		}
		if _, err := path.Match(n.Text, ""); err != nil {
			return n.Problemf("the pattern %q: %v", n.Text, err)
		}
		return nil
	}
}

func readReading(into *spec.Reading) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if r := spec.Reading(n.Text); n.Kind != spec.String || r != spec.Text && r != spec.Code {
			return n.Problemf("want the reading %s or %s, got %s", spec.Text, spec.Code, n.Value())
		}
		*into = spec.Reading(n.Text)
		return nil
	}
}

// readReason reads a text on one line, however the file breaks it.
func readReason(into *string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if err := strictyaml.Str(into)(n); err != nil {
			return err
		}
		*into = strings.Join(strings.Fields(n.Text), " ")
		if *into == "" {
			return n.Problemf("the reason is blank: say why the port fails here")
		}
		return nil
	}
}

func readURL(into *string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if err := strictyaml.Str(into)(n); err != nil {
			return err
		}
		if u, err := url.Parse(n.Text); err != nil || u.Scheme == "" || u.Host == "" {
			return n.Problemf("want an address such as https://example.com/issues/7, got %q", n.Text)
		}
		return nil
	}
}

func readDate(into *string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if err := strictyaml.Str(into)(n); err != nil {
			return err
		}
		if _, err := time.Parse(time.DateOnly, n.Text); err != nil {
			return n.Problemf("want a day such as \"2027-01-31\", got %q", n.Text)
		}
		return nil
	}
}
