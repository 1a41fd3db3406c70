package spec

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// Page is a Markdown file of clauses, in the order in which people read it.
type Page struct {
	Title  string
	Blocks []Block
}

// Block is a part of a page.
type Block struct {
	Kind BlockKind
	Text string // on one line, with its Markdown; of a literal block, line by line; of a clause, its id
}

// BlockKind says what a block is.
type BlockKind string

// The kinds of blocks.
const (
	Heading   BlockKind = "heading"
	Paragraph BlockKind = "paragraph"
	Item      BlockKind = "item" // of a list
	Literal   BlockKind = "literal"
	ClauseAt  BlockKind = "clause"
)

// PageOf returns the page of a detector's clauses, or of the protocol's, and whether there is one.
func PageOf(name string) (Page, bool) {
	text, err := fs.ReadFile(ClauseFiles(), name+".md")
	if err != nil {
		return Page{}, false
	}
	return readPage(string(text)), true
}

// readPage reads the text of a file whose clauses [ReadClauses] accepts.
func readPage(text string) Page {
	var page Page
	open := false   // whether the next line belongs to the last block
	fenced := false // within a literal block
	begin := func(kind BlockKind, text string) {
		page.Blocks = append(page.Blocks, Block{kind, text})
		open = true
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		last := len(page.Blocks) - 1
		clause := clauseHead.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "```"):
			if fenced = !fenced; fenced {
				begin(Literal, "")
			}
			open = false
		case fenced:
			page.Blocks[last].Text += line + "\n"
		case strings.HasPrefix(line, "# "):
			page.Title = line[2:]
		case strings.HasPrefix(line, "## "):
			begin(Heading, line[3:])
			open = false
		case strings.HasPrefix(line, "- "):
			begin(Item, line[2:])
		case clause != nil:
			begin(ClauseAt, clause[1])
		case strings.TrimSpace(line) == "":
			open = false
		case strings.HasPrefix(line, sourceLine) && !open: // each clause has its source
		case !open:
			begin(Paragraph, line)
		case page.Blocks[last].Kind != ClauseAt:
			page.Blocks[last].Text += " " + strings.TrimSpace(line)
		}
	}
	return page
}

// Term is a term that a page defines.
type Term struct {
	Names []string // such as port and adapter, which are defined together
	Text  string   // the item of the list, with its Markdown
}

// termName matches the name of a term where it is defined.
var termName = regexp.MustCompile(`\*([\pL][\pL '-]*)\*`)

// Terms returns the terms that a page defines, in their order: the items of lists that begin with one in asterisks.
func (p Page) Terms() (terms []Term) {
	for _, b := range p.Blocks {
		if b.Kind != Item || !strings.HasPrefix(b.Text, "*") {
			continue
		}
		t := Term{Text: b.Text}
		for _, m := range termName.FindAllStringSubmatch(b.Text, -1) {
			t.Names = append(t.Names, m[1])
		}
		if len(t.Names) > 0 {
			terms = append(terms, t)
		}
	}
	return terms
}

var (
	codeSpan  = regexp.MustCompile("`[^`]*`")
	clauseIDs = regexp.MustCompile(`\b[A-Z]{2}-\d+\b`)
)

// UsedIn reports whether a text of the specification uses one of the term's names, in any of its forms.
func (t Term) UsedIn(text string) bool {
	plain := strings.ToLower(codeSpan.ReplaceAllString(text, " "))
	return slices.ContainsFunc(t.Names, func(name string) bool {
		stem := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(name), "to "), "e")
		return regexp.MustCompile(`\b` + regexp.QuoteMeta(stem) + `(e|s|es|d|ed|ing)?\b`).MatchString(plain)
	})
}

// Names returns the clauses that a clause's text names, each once, in their order.
func (c Clause) Names() (named []Clause) {
	for _, id := range clauseIDs.FindAllString(c.Text, -1) {
		other, known := ClauseByID(id)
		has := func(n Clause) bool { return n.ID == id }
		if known && id != c.ID && !slices.ContainsFunc(named, has) {
			named = append(named, other)
		}
	}
	return named
}

// OtherPages returns the pages, except the common one, that have clauses which the clauses of this page name: each page
// once, in the order in which they are named.
func (p Page) OtherPages() (names []string) {
	seen := map[string]bool{commonPage: true}
	var named []Clause
	for _, b := range p.Blocks {
		if c, known := ClauseByID(b.Text); b.Kind == ClauseAt && known {
			seen[pageName(c)] = true
			named = append(named, c.Names()...)
		}
	}
	for _, c := range named {
		if name := pageName(c); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// pageName returns the name of the page that has a clause.
func pageName(c Clause) string { return strings.TrimSuffix(c.File, ".md") }

// commonPage is the page whose terms hold on all pages.
const commonPage = "protocol"

// TermsOf returns the terms that a clause uses, as its page defines them, or else the page of the protocol.
func TermsOf(c Clause) []Term {
	own, _ := PageOf(pageName(c))   // it has the clause
	common, _ := PageOf(commonPage) // it is built in
	defined := map[string]bool{}
	var used []Term
	for _, t := range slices.Concat(own.Terms(), common.Terms()) {
		if !defined[t.Names[0]] && t.UsedIn(c.Text) {
			used = append(used, t)
		}
		defined[t.Names[0]] = true
	}
	return used
}
