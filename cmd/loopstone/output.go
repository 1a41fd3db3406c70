package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/suite/guessfloor"
	"github.com/loopstone/loopstone/internal/suite/launch"
	"github.com/loopstone/loopstone/internal/suite/portconfig"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// targets are the reports that are wanted, any number of them.
type targets []report.Target

// register adds the flag --report, whose help begins with what it is.
func (t *targets) register(flags *pflag.FlagSet, what string) {
	what += " to standard output (`format`) or to a file (format=file); may be repeated. Formats: "
	flags.Func("report", what+strings.Join(report.Formats(), ", "), func(text string) error {
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
func (t targets) write(ctx context.Context, std streams, r *conformance.Report, options report.Options) error {
	var problem error
	options.Floor = func(offer spec.Offer) cases.Floor { return floorOfPart(ctx, offer) }
	for _, target := range t {
		if target.Path == "" {
			options.Colour, options.Width = colourful(std), widthOf(std, 0)
			problem = errors.Join(problem, report.Write(target.Format, std.out, r, options))
			continue
		}
		var content bytes.Buffer
		options.Colour, options.Width = false, 0
		err := report.Write(target.Format, &content, r, options)
		if err == nil {
			err = userfiles.Write(ctx, target.Path, content.Bytes())
		}
		problem = errors.Join(problem, err)
	}
	return problem
}

// floorOfPart plays guesses against what the port has of a detector. Without a floor, the report shows none.
func floorOfPart(ctx context.Context, offer spec.Offer) cases.Floor {
	suite, err := builtInSuite()
	if err != nil {
		return cases.Floor{}
	}
	found, err := guessfloor.OfPart(ctx, suite, offer)
	if err != nil {
		return cases.Floor{}
	}
	return found
}

// files returns the reports as files; that of standard output has no path. The annotations of GitHub are single lines,
// which GitHub finds behind a text, too: they are no further report there.
func (t targets) files() []file {
	var list []file
	for _, target := range t {
		if target == (report.Target{Format: "github"}) && slices.Contains(t, report.Target{Format: "text"}) {
			continue
		}
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

// checkOutputs refuses an output that is no file, and one that would overwrite another output, an input,
// loopstone.yaml, this program or the file of standard output or error, whatever links lead there.
func checkOutputs(outputs, inputs []file) error {
	inputs = append(inputs, file{"the description of a port", portconfig.FileName})
	if self, err := os.Executable(); err == nil {
		inputs = append(inputs, file{"this program", self})
	}
	type placed struct {
		file
		at userfiles.Destination
	}
	var taken []placed
	if len(outputs) > 0 {
		for _, in := range inputs {
			if at, err := userfiles.Find(in.path); err == nil { // else reading it says what is wrong
				taken = append(taken, placed{in, at})
			}
		}
	}
	for _, out := range outputs {
		at, err := userfiles.StandardOutput(), error(nil)
		if out.path != "" {
			at, err = userfiles.Find(out.path)
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

// commandFiles returns the files that a port's command names, which is started in a folder (here where that is empty):
// its program, also one found by PATH, be it by a relative folder there, and the regular files among its words, also
// behind a = as in --rules=FILE.
func commandFiles(folder string, words []string) []file {
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
			if path != "" && !filepath.IsAbs(path) {
				path = filepath.Join(folder, path)
			}
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
func colourful(std streams) bool {
	switch std.colour {
	case "always":
		return true
	case "never":
		return false
	default:
		return isTerminal(std.out) && os.Getenv("NO_COLOR") == ""
	}
}

// usualWidth is that of a page which goes to no terminal.
const usualWidth = 100

// widthOf returns how wide a page may be: what COLUMNS says, else the terminal; where neither does, as usual.
func widthOf(std streams, usual int) int {
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if file, ok := fileOf(std.out); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return usual
}

// streams are what a command reads and writes, and whether in colour.
type streams struct {
	in       io.Reader
	out, err io.Writer
	colour   string        // auto, always or never; empty for auto
	ports    *launch.Group // that the command has started
}

// start starts the port of a command, as [launch.Group.Start] does.
func (std streams) start(
	ctx context.Context, command []string, limits timeouts, check func(spec.Description) error,
) (launch.Port, error) {
	port, err := targetOf(command, limits)
	if err != nil {
		return launch.Port{}, err
	}
	return std.ports.Start(ctx, port.Target, check)
}

// endPorts ends what the command has started, and prints what that left behind.
func (std streams) endPorts() {
	for _, process := range std.ports.End() {
		sayf(std.err, "loopstone: the adapter left its process group and was not ended: %s\n", process)
	}
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

// sayf prints a text with names of files, of ports and of what they hold, none of which a terminal is to obey.
func sayf(w io.Writer, format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\t", "    ")
	fmt.Fprint(w, wording.Visible(text))
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
