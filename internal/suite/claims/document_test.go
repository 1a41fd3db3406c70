package claims

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/internal/guard/golden"
)

const documentsPage = "../../../docs/documents.md"

func TestDocumentIsUpToDate(t *testing.T) {
	all, err := Documents()
	if err != nil {
		t.Fatal(err)
	}
	want := page(all)
	golden.Check(t, documentsPage, want)
}

func TestPageSaysWhatIsSo(t *testing.T) {
	got := page([]Document{{
		ID: "D1", Title: "A thing", Advice: []string{"Do it."},
		Omissions: []Omission{{Section: "files", Reason: "It only names files."}},
		Claims: []Claim{
			{ID: "D1-1", Section: "top", Kind: Sentence, Text: "All is well.", Findings: []Finding{
				{Reading: "text", Status: Holds, Cases: []string{"case-one", "case-two"}},
			}},
			{ID: "D1-2", Section: "top", Kind: Table, Text: "Three are enough.", Findings: []Finding{
				{Reading: "code", Status: Refuted, Reason: "It takes four.", Cases: []string{"case-three"}},
				{Reading: "text", Status: Holds, Cases: []string{"case-four"}},
			}},
			{ID: "D1-3", Section: "top", Kind: Example, Text: "Nobody stops.", Findings: []Finding{
				{Reading: "text", Status: Ambiguous, Reason: "Nobody can be asked."},
			}},
		},
	}})
	want := preface + `| document | about | claims | hold | refuted | open |
|---|---|---|---|---|---|
| [D1](#d1) | A thing | 3 | 1 | 1 | 1 |

## D1

A thing.

### D1: for port authors

- Do it.

### D1: refuted

- **D1-2** Three are enough. (table of ` + "`top`" + `)
  - ` + "`code`" + ` refuted. It takes four. ` + "`case-three`" + `
  - ` + "`text`" + ` holds. ` + "`case-four`" + `

### D1: open

- **D1-3** Nobody stops. (example of ` + "`top`" + `)
  - open. Nobody can be asked.

### D1: what holds

- **D1-1** All is well. ` + "`case-one`" + `

### D1: sections without claims

- ` + "`files`" + `: it only names files.
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
