package cases

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/loopstone/loopstone/spec"
)

// Write returns cases of one detector as a case file that [Parse] reads back to the same demands. It panics where
// there is no case, or where they are of several detectors.
func Write(all ...Case) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# yaml-language-server: $schema=%s\n", schemaURL)
	fmt.Fprintf(&b, "detector: %s\ncases:\n", all[0].Detector)
	for i, c := range all {
		if c.Detector != all[0].Detector {
			panic(fmt.Sprintf("cases of %s and %s in one file", all[0].Detector, c.Detector))
		}
		if i > 0 {
			b.WriteString("\n")
		}
		writeCase(&b, c)
	}
	return []byte(b.String())
}

// schemaURL is where editors find the schema of a case file that does not lie in the suite's own folders.
const schemaURL = "https://loopstone.dev/schema/1/cases.schema.json"

// writeCase writes a member a line; the lists of steps have a line for each.
func writeCase(b *strings.Builder, c Case) {
	lead := "  - "
	for _, m := range c.Demand().Members() {
		fmt.Fprintf(b, "%s%s:", lead, m.Name)
		lead = "    "
		if m.Name != "steps" && m.Name != "exchange" {
			fmt.Fprintf(b, " %s\n", flow(m.Value))
			continue
		}
		b.WriteString("\n")
		for _, step := range m.Value.Items() {
			writeStep(b, step)
		}
	}
}

func writeStep(b *strings.Builder, step spec.Value) {
	lead := "      - "
	for _, m := range step.Members() {
		fmt.Fprintf(b, "%s%s: %s\n", lead, m.Name, flow(m.Value))
		lead = "        "
	}
}

// flow writes a value on one line, in the dialect of the case files.
func flow(v spec.Value) string {
	switch v.Kind() {
	case spec.Object:
		parts := make([]string, len(v.Members()))
		for i, m := range v.Members() {
			parts[i] = scalar(m.Name) + ": " + flow(m.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case spec.Array:
		parts := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			parts[i] = flow(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case spec.String:
		text, _ := v.Str()
		return scalar(text)
	default:
		return v.String()
	}
}

// scalar writes a text: as it is where every reader takes it for a text, else in double quotes.
func scalar(text string) string {
	if plainWord(text) {
		return text
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainWord reports whether a text is a word of ASCII letters, digits, _ and - that begins with a letter, and none
// that some reader of YAML takes for something else.
func plainWord(text string) bool {
	if text == "" || len(text) == 1 || !unicode.IsLetter(rune(text[0])) || text[0] > unicode.MaxASCII {
		return false
	}
	for _, r := range text {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' {
			return false
		}
	}
	_, isNumber := strconv.ParseFloat(text, 64) // infinity and nan, which ParseFloat reads too
	switch strings.ToLower(text) {
	case "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return isNumber != nil
}
