package main

import (
	"fmt"
	"html"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loopstone/loopstone/internal/guard/golden"
)

// TestReadmeShowsAReplay draws the terminal in which the command of README.md was run, and compares it with the picture
// there.
func TestReadmeShowsAReplay(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	readme := read(t, filepath.Join(root, "README.md"))
	shown := regexp.MustCompile(`!\[[^\]]*\]\((docs/\S+\.svg)\)\n\n<!-- (loopstone replay .*) -->`).FindStringSubmatch(readme)
	if shown == nil {
		t.Fatal("README.md has no picture with the command that it shows")
	}
	command := exec.Command("sh", "-c", strings.Replace(shown[2], "loopstone", `"$LOOPSTONE"`, 1))
	command.Dir = root
	command.Env = append(command.Environ(), "LOOPSTONE="+builtTool, "COLUMNS=80")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v", shown[2], err)
	}
	typed := strings.Replace(shown[2], " --", " \\\n    --", 1)
	golden.Check(t, filepath.Join(root, shown[1]), terminal("$ "+typed+"\n"+string(out)))
}

// The sizes of a terminal's characters in the picture.
const (
	characterWidth, lineHeight = 8.4, 19
	terminalMargin             = 16
)

var marks = regexp.MustCompile(`[▲█]+`)

// terminal draws text as an SVG. Each line has its length said, so that columns stand below one another in any font.
func terminal(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	longest := 0
	var body strings.Builder
	for i, line := range lines {
		length := utf8.RuneCountInString(line)
		longest = max(longest, length)
		if length == 0 {
			continue
		}
		drawn := marks.ReplaceAllString(html.EscapeString(line), `<tspan fill="#ff8a80">$0</tspan>`)
		fmt.Fprintf(&body, `<text x="%d" y="%d" textLength="%.1f" xml:space="preserve">%s</text>`+"\n",
			terminalMargin, terminalMargin+lineHeight*(i+1)-5, characterWidth*float64(length), drawn)
	}
	width, height := characterWidth*float64(longest)+2*terminalMargin, lineHeight*len(lines)+2*terminalMargin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" font-family="ui-monospace, monospace" `+
		`font-size="14" fill="#e6e9ed">`+"\n"+`<rect width="100%%" height="100%%" rx="8" fill="#14171b"/>`+"\n%s</svg>\n",
		width, height, width, body.String())
}
