package claims

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/guard/golden"
)

const documentsPage = "../../../docs/documents.md"

func TestDocumentIsUpToDate(t *testing.T) {
	all, err := Documents()
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, documentsPage, page(all))
}

const preface = `<!-- Written by: go test ./internal/suite/claims -run TestDocument -update. Change the ledger, not this file. -->

# What the documents say, and what of it is so

The detectors come from five documents. Each sentence, table row, diagram edge, default and example of them that can be
true or false is listed here as a claim, in our words, with what is so of it and the cases that prove it.

- A claim **holds** where the cases that are named pass on the reference.
- It is **refuted** where the reference, asked for what the claim demands, does something else. What is so instead
  stands beside it. Most of these claims are refuted by the document's own listing, which was run, or are the listing's
  and refuted by the document's prose.
- It is **open** where the document says two things and nothing decides, or where no detector can be asked.

A document that contradicts itself has two readings: ` + "`code`" + ` is what its listing does, ` + "`text`" + ` what its prose and
examples say. A port declares the readings that it follows, and is judged by those alone.

` + "`loopstone show D2-9`" + ` shows a claim with all its cases, ` + "`loopstone test --case ID -- COMMAND`" + ` asks a port for one.

`

// page renders the ledger as a page for people who know the documents: for each what a port author should do, what
// is refuted, what is open and what holds.
func page(documents []Document) string {
	var b strings.Builder
	b.WriteString(preface)
	b.WriteString("| document | about | claims | hold | refuted | open |\n|---|---|---|---|---|---|\n")
	for _, d := range documents {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %d | %d | %d | %d |\n", d.ID, strings.ToLower(d.ID), d.Title, len(d.Claims),
			len(d.with(Holds)), len(d.with(Refuted)), len(d.with(Ambiguous)))
	}
	for _, d := range documents {
		writeDocument(&b, d)
	}
	return b.String()
}

// with returns the claims of the document whose worst finding is the status.
func (d Document) with(s Status) []Claim {
	var list []Claim
	for _, c := range d.Claims {
		if c.Status() == s {
			list = append(list, c)
		}
	}
	return list
}

func writeDocument(b *strings.Builder, d Document) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n### %s: for port authors\n\n", d.ID, d.Title, d.ID)
	for _, advice := range d.Advice {
		fmt.Fprintf(b, "- %s\n", strings.TrimSpace(advice))
	}
	for _, part := range []struct {
		title  string
		status Status
		write  func(*strings.Builder, Claim)
	}{
		{"refuted", Refuted, writeFindings},
		{"open", Ambiguous, writeFindings},
		{"what holds", Holds, writeHolding},
	} {
		list := d.with(part.status)
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n### %s: %s\n\n", d.ID, part.title)
		for _, c := range list {
			part.write(b, c)
		}
	}
	if len(d.Omissions) > 0 {
		fmt.Fprintf(b, "\n### %s: sections without claims\n\n", d.ID)
	}
	for _, o := range d.Omissions {
		fmt.Fprintf(b, "- `%s`: %s\n", o.Section, lowerFirst(o.Reason))
	}
}

// writeFindings writes a claim with what is so in each reading.
func writeFindings(b *strings.Builder, c Claim) {
	fmt.Fprintf(b, "- **%s** %s (%s of `%s`)\n", c.ID, c.Text, c.Kind, c.Section)
	for _, f := range c.Findings {
		fmt.Fprintf(b, "  - %s%s%s\n", readingOf(c, f), verdictOn(f), shownBy(f.Cases))
	}
}

func writeHolding(b *strings.Builder, c Claim) {
	var cited []string
	for _, f := range c.Findings {
		if len(cited) == 0 || cited[len(cited)-1] != f.Cases[0] {
			cited = append(cited, f.Cases[0])
		}
	}
	fmt.Fprintf(b, "- **%s** %s%s\n", c.ID, c.Text, shownBy(cited))
}

// readingOf names the reading where the claim has several.
func readingOf(c Claim, f Finding) string {
	if len(c.Findings) == 1 {
		return ""
	}
	return "`" + string(f.Reading) + "` "
}

func verdictOn(f Finding) string {
	switch f.Status {
	case Refuted:
		return "refuted. " + f.Reason
	case Ambiguous:
		return "open. " + f.Reason
	default:
		return "holds."
	}
}

func shownBy(cases []string) string {
	if len(cases) == 0 {
		return ""
	}
	return " `" + strings.Join(cases, "` `") + "`"
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
