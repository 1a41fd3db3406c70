package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/suite/files"
	"github.com/loopstone/loopstone/internal/suite/portfolder"
)

// targets are the reports that are wanted, any number of them.
type targets []report.Target

// register adds the flag --report, whose help begins with what it is.
func (t *targets) register(flags *pflag.FlagSet, what string) {
	what += " to standard output (`format`) or to a file (format=file); may be repeated. Formats: "
	flags.Func("report", what+strings.Join(reportNames(), ", "), func(text string) error {
		target, err := report.ParseSpec(text)
		if err == nil {
			*t = append(*t, target)
		}
		return err
	})
}

// orText returns the reports, or where none is wanted, the one for people.
func (t targets) orText() targets {
	if len(t) == 0 {
		return targets{{Format: "text"}}
	}
	return t
}

// write writes each report; if one cannot be written, the others are. Colours and the terminal's width are for standard
// output.
func (t targets) write(ctx context.Context, io streams, r *conformance.Report, options report.Options) error {
	var problem error
	for _, target := range t {
		if target.Path == "" {
			options.Colour, options.Width = colourful(io), widthOf(io, 0)
			problem = errors.Join(problem, report.Write(target.Format, io.out, r, options))
			continue
		}
		var content bytes.Buffer
		options.Colour, options.Width = false, 0
		err := report.Write(target.Format, &content, r, options)
		if err == nil {
			err = files.Write(ctx, target.Path, content.Bytes())
		}
		problem = errors.Join(problem, err)
	}
	return problem
}

// files returns the reports as files; that of standard output has no path.
func (t targets) files() []file {
	var list []file
	for _, target := range t {
		list = append(list, file{"--report " + target.Format, target.Path})
	}
	return list
}

// file is one that a command reads or writes. An output without a path is standard output.
type file struct{ what, path string }

// printed is what a command prints, beside the files that it writes.
var printed = file{what: "what is printed"}

// filesAt returns files that are the same to a command.
func filesAt(what string, paths ...string) []file {
	var list []file
	for _, path := range paths {
		list = append(list, file{what, path})
	}
	return list
}

// given returns the files that a flag names.
func given(files ...file) []file {
	return slices.DeleteFunc(files, func(f file) bool { return f.path == "" })
}

// checkPlaces refuses an output that is no file, and one that would overwrite another output, an input, loopstone.yaml,
// this program or the file of standard output or error, whatever links lead there.
func checkPlaces(outputs, inputs []file) error {
	inputs = append(inputs, file{"the description of a port", portfolder.FileName})
	if self, err := os.Executable(); err == nil {
		inputs = append(inputs, file{"this program", self})
	}
	type placed struct {
		file
		at files.Place
	}
	var taken []placed
	if len(outputs) > 0 {
		for _, in := range inputs {
			if at, err := files.Find(in.path); err == nil { // else reading it says what is wrong
				taken = append(taken, placed{in, at})
			}
		}
	}
	for _, out := range outputs {
		at, err := files.StandardOutput(), error(nil)
		if out.path != "" {
			at, err = files.Find(out.path)
		}
		if err != nil {
			return usagef("%s: %w", out.what, err)
		}
		if i := slices.IndexFunc(taken, func(other placed) bool { return at.Is(other.at) }); i >= 0 {
			return usagef("%s would overwrite %s: both are %s", out.what, taken[i].what, at)
		}
		if stream, ok := at.Stream(); ok {
			return usagef("%s would overwrite %s: both are %s", out.what, stream, at)
		}
		taken = append(taken, placed{out, at})
	}
	return nil
}

// commandFiles returns the files that a port's command names: its program, also one found by PATH, be it by a relative
// folder there, and the regular files among its words, also behind a = as in --rules=FILE.
func commandFiles(words []string) []file {
	if len(words) == 0 {
		return nil
	}
	var paths []string
	if program, err := exec.LookPath(words[0]); err == nil || errors.Is(err, exec.ErrDot) {
		paths = append(paths, program)
	}
	for _, word := range words {
		_, value, _ := strings.Cut(word, "=")
		for _, path := range []string{word, value} {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				paths = append(paths, path)
			}
		}
	}
	return filesAt("a file of the port's command", paths...)
}

// filesBelow returns what a command may read of the paths: files as they are, and of folders all but the pages and
// pictures that the commands write.
func filesBelow(what string, paths []string) []file {
	var list []string
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		_ = filepath.WalkDir(path, func(below string, entry fs.DirEntry, err error) error { // reading it says what is wrong
			ours := slices.Contains([]string{".html", ".svg"}, filepath.Ext(below))
			if err == nil && !entry.IsDir() && (below == path || !ours) {
				list = append(list, below)
			}
			return nil
		})
	}
	return filesAt(what, list...)
}

// writeNew writes files below a folder, all or none. Where anything, also a link, has one of their names or of the
// further names, nothing is written. Its error is a [usageError] where the folder cannot be, but not where the
// disk is full.
func writeNew(ctx context.Context, folder string, texts map[string][]byte, further ...string) error {
	if info, err := os.Stat(folder); folder == "" || err == nil && !info.IsDir() {
		return usagef("%q is no folder", folder)
	}
	names := slices.Sorted(maps.Keys(texts))
	for _, name := range append(slices.Clone(names), further...) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if _, err := os.Lstat(path); err == nil {
			return usagef("%s is there already; nothing was written", path)
		}
	}
	for i, name := range names {
		path := filepath.Join(folder, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err != nil {
			err = usageError{err}
		} else {
			err = files.Write(ctx, path, texts[name])
		}
		if err != nil {
			for _, written := range names[:i] {
				err = errors.Join(err, os.Remove(filepath.Join(folder, filepath.FromSlash(written))))
			}
			return err
		}
	}
	return nil
}

// siteEnv names the variable that holds the address of the site. Where it is set, failures name their page, too.
const siteEnv = "LOOPSTONE_SITE"

// usualSite is where the site stands that show --web opens without the variable.
const usualSite = "https://loopstone.dev/"

// siteBase returns the address of the site as a user gave it, with a slash at its end; empty where none did.
func siteBase() string {
	base := os.Getenv(siteEnv)
	if base == "" || strings.HasSuffix(base, "/") {
		return base
	}
	return base + "/"
}

// indent puts four spaces before each line.
func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

// isTerminal reports whether w is a terminal that understands control characters.
func isTerminal(w io.Writer) bool {
	file, ok := fileOf(w)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd()))
}

// colourful reports whether standard output has colours: as --color says, else where it is a terminal that wants them.
func colourful(io streams) bool {
	switch io.colour {
	case "always":
		return true
	case "never":
		return false
	default:
		return isTerminal(io.out) && os.Getenv("NO_COLOR") == ""
	}
}

// usualWidth is that of a page which goes to no terminal.
const usualWidth = 100

// widthOf returns how wide a page may be: what COLUMNS says, else the terminal; where neither does, as usual.
func widthOf(io streams, usual int) int {
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if file, ok := fileOf(io.out); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return usual
}

// progressPause is how often the line changes: often enough to look alive, seldom enough to cost nothing.
const progressPause = 100 * time.Millisecond

// progress is one line at a terminal that is written over; in a pipe it is nothing.
type progress struct {
	w         io.Writer // nil where there is no terminal
	done, all int       // tests
	began     time.Time // the first of them
	shown     time.Time
}

func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	return &progress{w: w, began: time.Now()}
}

// tests says that n tests more are done.
func (p *progress) tests(n int) {
	p.done += n
	if p.done == p.all || time.Since(p.shown) >= progressPause {
		p.shown = time.Now()
		p.line(fmt.Sprintf("%d of %d tests%s ", p.done, p.all, timeLeft(p.done, p.all, p.shown.Sub(p.began))))
	}
}

// timeLeft says how long the rest takes if each test takes as long as those that are done; nothing in the first second,
// which tells little, and where nothing is left.
func timeLeft(done, all int, elapsed time.Duration) string {
	if done == 0 || done >= all || elapsed < time.Second {
		return ""
	}
	left := elapsed * time.Duration(all-done) / time.Duration(done)
	return fmt.Sprintf(", about %s left", max(left.Round(time.Second), time.Second))
}

// line shows a line of its own making.
func (p *progress) line(text string) {
	if p.w != nil {
		fmt.Fprintf(p.w, "\r\x1b[K%s", text)
	}
}

func (p *progress) clear() { p.line("") }

// streams are what a command reads and writes, and whether in colour.
type streams struct {
	in       io.Reader
	out, err io.Writer
	colour   string // auto, always or never; empty for auto
	ports    *ports // that the command has started
}

// output is standard output. It keeps its first error, so that a command need not check each line that it prints.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.Writer.Write(text)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// closed is what a command writes to that was started without standard output.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, os.ErrClosed }

// standardOutput returns what os.Stdout was when the program was started.
func standardOutput() io.Writer {
	if startedWithoutOutput() {
		return closed{}
	}
	return os.Stdout
}

// fileOf returns the file that a stream writes to, if it is one.
func fileOf(w io.Writer) (*os.File, bool) {
	if out, ok := w.(*output); ok {
		w = out.Writer
	}
	file, ok := w.(*os.File)
	return file, ok
}
