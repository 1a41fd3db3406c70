package report

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/wording"
)

// annotation is one workflow command by which GitHub marks a line of a file, or the run where it names no file.
type annotation struct {
	level   string // error, warning or notice
	file    string
	line    string
	title   string
	message string
}

// The characters that end a workflow command, one of its properties, or the line that it stands on.
var (
	githubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// String returns the command on a line of its own.
func (a annotation) String() string {
	var properties []string
	for _, p := range [][2]string{{"file", a.file}, {"line", a.line}, {"title", a.title}} {
		if p[1] != "" {
			properties = append(properties, p[0]+"="+githubProperty.Replace(wording.Visible(p[1])))
		}
	}
	return fmt.Sprintf("::%s %s::%s\n", a.level, strings.Join(properties, ","),
		githubMessage.Replace(wording.Visible(a.message)))
}

// github renders the report as GitHub workflow commands. GitHub shows only the first ten annotations of a step and
// level, so the outcome comes first, then what is wrong with the known failures, then the cases, by clause.
func github(r *conformance.Report, options Options) ([]byte, error) {
	list := []annotation{githubOutcome(r)}
	for _, problem := range r.Problems {
		list = append(list, githubProblem(problem))
	}
	for _, g := range bad(r) {
		for _, result := range g.results {
			list = append(list, githubResult(result, r.Settings.Folder, options))
		}
	}
	if lines := notChecked(r); len(lines) > 0 {
		list = append(list, annotation{level: "notice", title: "NOT CHECKED", message: strings.Join(lines, "\n")})
	}
	if lines := knownLines(r, "%s %s: %s"); len(lines) > 0 {
		list = append(list, annotation{level: "notice", title: "known failures", message: strings.Join(lines, "\n")})
	}
	var b strings.Builder
	for _, a := range list {
		b.WriteString(a.String())
	}
	return []byte(b.String()), nil
}

func githubOutcome(r *conformance.Report) annotation {
	level := "notice"
	if !isGood(r) {
		level = "error"
	}
	message := identity(r) + ": " + Summary(r)
	if traces := tracesOf(r); traces != "" {
		message += "; " + traces
	}
	return annotation{level: level, title: outcomeWord(r), message: message}
}

// problemPlace matches the place in the file of known failures that a problem begins with.
var problemPlace = regexp.MustCompile(`^(.+?):(\d+):\d+: (.*)$`)

func githubProblem(problem string) annotation {
	a := annotation{level: "error", title: "file of known failures", message: problem}
	if m := problemPlace.FindStringSubmatch(problem); m != nil {
		a.file, a.line, a.message = m[1], m[2], m[3]
	}
	return a
}

func githubResult(result conformance.Result, folder string, options Options) annotation {
	options.Verbose = false // an annotation is a box of a few lines
	level, about := "error", firstClause(result)
	if result.Differs() != "" {
		about = voice(result)
	}
	if result.Status == conformance.Passed { // a repair
		level = "notice"
	}
	a := annotation{
		level:   level,
		title:   about + " " + nameOf(result),
		message: strings.Join(whole(result, options), "\n"),
	}
	a.file = caseFile(folder, result)
	if a.file != "" {
		a.line = fmt.Sprint(result.Line)
	}
	return a
}

// caseFile returns where the user finds a case; nowhere where it is one of the suite's own.
func caseFile(folder string, result conformance.Result) string {
	if folder == "" || result.File == "" {
		return ""
	}
	return path.Join(folder, result.File)
}
