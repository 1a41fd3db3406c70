package cases

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopstone/loopstone"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// compiledText is the built-in suite as programs load it. Parsing its YAML takes 200 ms of processor time, which
// --version and a run of one case would pay too: they print the digest of the whole suite. The test of this package
// writes it with -update from the case files, which stay the source: one that was edited since is read itself, so no
// program has an old suite. `loopstone lint` names what is out of date.
//
// The first line has the totals. Each case file has a line for its section and one for each [Case], as JSON without the
// fields that are zero.
//
//go:embed compiled.jsonl
var compiledText []byte

// totals describe the suite as long as the clauses and the case files have this sum.
type totals struct {
	Sum    uint32 `json:"sum"`
	Cases  int    `json:"cases"`
	Digest string `json:"digest"`
}

// section is a case file in its compiled form; it stands for a YAML text of this sum.
type section struct {
	File  string `json:"file"`
	Sum   uint32 `json:"sum"`
	cases [][]byte
}

// sectionMark begins the line of a section. The line of a case begins with its ID.
var sectionMark = []byte(`{"file":`)

// compiled is a suite in its compiled form.
type compiled struct {
	totals
	sections map[string]section // by the paths of their files
}

var builtInCompiled = sync.OnceValue(func() compiled { return readCompiled(compiledText) })

// readCompiled reads a compiled suite. What it cannot read it leaves out: YAML is read in its place.
func readCompiled(text []byte) compiled {
	c := compiled{sections: map[string]section{}}
	first, rest, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	_ = json.Unmarshal(first, &c.totals) // a sum of 0 is that of no suite
	var s section
	for _, line := range bytes.Split(rest, []byte("\n")) {
		if bytes.HasPrefix(line, sectionMark) {
			s = section{}
			_ = json.Unmarshal(line, &s)
		} else {
			s.cases = append(s.cases, line)
		}
		c.sections[s.File] = s
	}
	return c
}

// over returns the parser that reads the compiled cases of a file whose text they are of, and parses any other.
func (c compiled) over(parse parser) parser {
	return func(name string, text []byte) ([]Case, error) {
		if s, ok := c.sections[name]; ok && s.Sum == crc32.ChecksumIEEE(text) {
			if all, err := s.read(); err == nil {
				return all, nil
			}
		}
		return parse(name, text)
	}
}

// read returns the cases of the file.
func (s section) read() ([]Case, error) {
	all, form := make([]Case, len(s.cases)), s.form()
	for i, line := range s.cases {
		if err := json.Unmarshal(line, &all[i], form); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// form says how the cases of a file are compiled: without what is zero, and a place as its line and column. Most events
// and expectations stand several times in a file; those that are equal share their memory.
func (s section) form() json.Options {
	known, wanted := map[string]spec.Value{}, map[string][]MemberWant{}
	values := json.UnmarshalFunc(func(text []byte, into *spec.Value) (err error) {
		v, isKnown := known[string(text)]
		if !isKnown {
			v, err = spec.ParseValue(text)
			known[string(text)] = v
		}
		*into = v
		return err
	})
	plain := json.WithUnmarshalers(values)
	return json.JoinOptions(
		json.OmitZeroStructFields(true),
		json.WithMarshalers(json.MarshalFunc(func(p strictyaml.Place) ([]byte, error) {
			return json.Marshal([2]int{p.Line, p.Column})
		})),
		json.WithUnmarshalers(json.JoinUnmarshalers(
			json.UnmarshalFromFunc(func(from *jsontext.Decoder, into *strictyaml.Place) error {
				var at [2]int
				err := json.UnmarshalDecode(from, &at)
				*into = strictyaml.Place{File: s.File, Line: at[0], Column: at[1]}
				return err
			}),
			json.UnmarshalFunc(func(text []byte, into *[]MemberWant) (err error) {
				members, isKnown := wanted[string(text)]
				if !isKnown {
					err = json.Unmarshal(text, &members, plain)
					wanted[string(text)] = members
				}
				*into = members
				return err
			}),
			values,
		)),
	)
}

// Summary returns how many cases the built-in suite has, and its [Digest]. It reads the cases only where they or the
// clauses have been edited since they were compiled. Its error is that of [All].
func Summary() (count int, digest string, err error) {
	if c := builtInCompiled(); c.Cases > 0 {
		if sum, err := sumOf(Files()); err == nil && sum == c.Sum {
			return c.Cases, c.Digest, nil
		}
	}
	all, err := All()
	if err != nil {
		return 0, "", err
	}
	return len(all), Digest(all), nil
}

// sumOf returns the checksum of what a suite's totals are of: the clauses, and the case files below the root.
func sumOf(files fs.FS) (uint32, error) {
	h := crc32.NewIEEE()
	add := func(files fs.FS, paths []string) error {
		for _, path := range paths {
			text, err := fs.ReadFile(files, path)
			if err != nil {
				return err
			}
			fmt.Fprintln(h, path, crc32.ChecksumIEEE(text))
		}
		return nil
	}
	clauses, err1 := fs.Glob(loopstone.ClauseFiles, "spec/clauses/*.md")
	paths, err2 := casePaths(files)
	err := errors.Join(err1, err2, add(loopstone.ClauseFiles, clauses), add(files, paths))
	return h.Sum32(), err
}

// compile returns the compiled form of the case files below the root.
func compile(files fs.FS) ([]byte, error) {
	all, err := Load(files)
	if err != nil {
		return nil, err
	}
	sum, err := sumOf(files)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	add := func(v any) {
		err = errors.Join(err, json.MarshalWrite(&b, v, section{}.form()))
		b.WriteByte('\n')
	}
	add(totals{sum, len(all), Digest(all)})
	file := ""
	for _, c := range all {
		if c.Place.File != file {
			file = c.Place.File
			text, unread := fs.ReadFile(files, file)
			err = errors.Join(err, unread)
			add(section{File: file, Sum: crc32.ChecksumIEEE(text)})
		}
		add(c)
	}
	return b.Bytes(), err
}

// LintCompiled checks that the compiled form of the built-in suite is up to date. It names each file of which it is
// not, a problem a line.
func LintCompiled() error {
	now, err := compile(Files())
	if err != nil {
		return err
	}
	return outOfDate(compiledText, now)
}

var errOutOfDate = errors.New("cases/compiled.jsonl is out of date; run: make accept")

// outOfDate names what a compiled suite has otherwise than now.
func outOfDate(old, now []byte) error {
	if bytes.Equal(old, now) {
		return nil
	}
	was, is := readCompiled(old), readCompiled(now)
	var problems []error
	paths := append(slices.Collect(maps.Keys(was.sections)), slices.Collect(maps.Keys(is.sections))...)
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		if !reflect.DeepEqual(was.sections[path], is.sections[path]) {
			problems = append(problems, fmt.Errorf("cases/%s: %w", path, errOutOfDate))
		}
	}
	if len(problems) == 0 {
		problems = append(problems, fmt.Errorf("spec/clauses: %w", errOutOfDate))
	}
	return errors.Join(problems...)
}
