package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/internal/testing/golden"
)

// TestReadmeShowsTheDemonstration runs the first command of README.md in a terminal with colours, draws what it prints up
// to the first failure, and compares that with the pictures in README.md: in all but the numbers, which grow with the
// suite.
func TestReadmeShowsTheDemonstration(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	typed := regexp.MustCompile(`(?m)^(?:git clone .* && )?(go run \./cmd/loopstone demo)$`).FindStringSubmatch(
		read(t, filepath.Join(root, "README.md")))
	if typed == nil {
		t.Fatal("README.md has no command of the demonstration")
	}
	printed, _, cut := strings.Cut(demonstration(t), "\nThe other ")
	if !cut {
		t.Fatalf("it does not list the other failures:\n%s", printed)
	}
	for name, colours := range map[string]palette{"docs/demo-light.svg": light, "docs/demo-dark.svg": dark} {
		path := filepath.Join(root, filepath.FromSlash(name))
		picture := colours.terminal("$ " + typed[1] + "\n" + printed + "…")
		if old, err := os.ReadFile(path); golden.Updating() && (err != nil || drawn(string(old)) != drawn(picture)) {
			golden.Write(t, path, []byte(picture))
		}
		if diff := cmp.Diff(drawn(read(t, path)), drawn(picture)); diff != "" {
			t.Errorf("%s shows something else; run the test with -update (-file +now):\n%s", name, diff)
		}
	}
}

// demonstration returns what loopstone demo prints on a terminal with colours.
func demonstration(t *testing.T) string {
	t.Helper()
	command := exec.Command(builtTool, "demo", "--color", "always")
	command.Env = append(command.Environ(), "COLUMNS=100")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("loopstone demo: %v\n%s", err, out)
	}
	return string(out)
}

// drawn returns what a picture shows: its lines, with N for every number.
func drawn(picture string) string {
	var lines []string
	for _, line := range regexp.MustCompile(`(?m)^<text .*$`).FindAllString(picture, -1) {
		line = regexp.MustCompile(`^<text [^>]*>|</text>|textLength="[^"]*"`).ReplaceAllString(line, "")
		lines = append(lines, countless(line))
	}
	return strings.Join(lines, "\n")
}

func TestAStalePictureIsFound(t *testing.T) {
	t.Parallel()
	text := "FAILED history-a (code)\n  12 failures"
	for _, test := range []struct {
		reason, now string
		same        bool
	}{
		{"the suite has grown", "FAILED history-a (code)\n  1234 failures", true},
		{"another case fails first", "FAILED history-b (code)\n  12 failures", false},
		{"a line more", "FAILED history-a (code)\n  12 failures\n  why", false},
		{"another colour", "\x1b[31mFAILED\x1b[0m history-a (code)\n  12 failures", false},
	} {
		if same := drawn(dark.terminal(text)) == drawn(dark.terminal(test.now)); same != test.same {
			t.Errorf("%s: got %v, want %v", test.reason, same, test.same)
		}
	}
}

// palette is how a terminal shows text: its usual colours, and those of the escape codes that the tool prints.
type palette struct {
	text, ground string
	codes        map[string]string
}

var (
	light = palette{"#1f2328", "#f6f8fa", map[string]string{"31": "#b3261e", "32": "#116329", "33": "#7d4e00"}}
	dark  = palette{"#e6e9ed", "#14171b", map[string]string{"31": "#ff8a80", "32": "#7ee2a8", "33": "#f2cc60"}}
)

// The sizes of a terminal's characters in the picture.
const (
	characterWidth, lineHeight = 8.4, 19
	terminalMargin             = 16
)

// escape matches an escape code, or several in a row of which the last one counts.
var escape = regexp.MustCompile(`(?:\x1b\[[0-9;]*m)*\x1b\[([0-9;]*)m`)

// terminal draws text as an SVG. Each line has its length said, so that columns stand below one another in any font.
func (p palette) terminal(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	longest := 0
	var body strings.Builder
	for i, line := range lines {
		length := utf8.RuneCountInString(escape.ReplaceAllString(line, ""))
		longest = max(longest, length)
		if length == 0 {
			continue
		}
		fmt.Fprintf(&body, `<text x="%d" y="%d" textLength="%.1f" xml:space="preserve">%s</text>`+"\n",
			terminalMargin, terminalMargin+lineHeight*(i+1)-5, characterWidth*float64(length), p.coloured(line))
	}
	width, height := characterWidth*float64(longest)+2*terminalMargin, lineHeight*len(lines)+2*terminalMargin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" font-family="ui-monospace, monospace" `+
		`font-size="14" fill="%s">`+"\n"+`<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n%s</svg>\n",
		width, height, width, p.text, p.ground, body.String())
}

// coloured returns a line with its escape codes as colours.
func (p palette) coloured(line string) string {
	var b strings.Builder
	open := ""
	to := func(colour string) {
		if open != "" && colour != open {
			b.WriteString("</tspan>")
		}
		if colour != "" && colour != open {
			fmt.Fprintf(&b, `<tspan fill="%s">`, colour)
		}
		open = colour
	}
	for line != "" {
		at := escape.FindStringSubmatchIndex(line)
		if at == nil {
			break
		}
		b.WriteString(html.EscapeString(line[:at[0]]))
		to(p.codes[line[at[2]:at[3]]])
		line = line[at[1]:]
	}
	b.WriteString(html.EscapeString(line))
	to("")
	return b.String()
}
