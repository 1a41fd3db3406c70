package sourceclaims

import (
	"strings"
	"testing"
	"testing/fstest"
)

const good = `document: D2
title: A thing
advice:
  - Do it.
without_claims:
  - section: files
    reason: It only names files.
claims:
  - id: D2-1
    section: top
    kind: sentence
    claim: Three in a row are a loop.
    detectors: [signature]
    clauses: [SG-15, SG-29]
    says: {step: 4, expect: {loop: false}}
    readings:
      text: {status: holds, cases: [signature-a]}
      code:
        status: refuted
        reason: They need not be in a row.
        cases: [signature-b]
        other_reading: signature-a
  - id: D2-2
    section: top
    kind: table
    claim: The guard waits for nobody.
    detectors: [guards]
    readings:
      text: {status: ambiguous, reason: Nobody can be asked.}
`

func TestParseReadsADocument(t *testing.T) {
	d, err := Parse("D2.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	first, second := d.Claims[0], d.Claims[1]
	if first.Source() != "D2#top" || first.Status() != Refuted || first.Summary() != "code refuted, text holds" {
		t.Errorf("the first claim is %s, %s: %s", first.Source(), first.Status(), first.Summary())
	}
	if says := first.Findings[1].Says; says == nil || says.Step != 4 || says.Expect.String() != `{"loop":false}` {
		t.Errorf("what the claim says is not that of its finding for text: %+v", says)
	}
	if second.Status() != Ambiguous || second.Summary() != "ambiguous" || second.Findings[0].Says != nil {
		t.Errorf("the second claim is %s: %s", second.Status(), second.Summary())
	}
}

func TestParseTellsWhatIsWrongAndWhere(t *testing.T) {
	for _, tt := range []struct{ why, old, new, want string }{
		{"the file is named after its document", "document: D2", "document: D1", `D2.yaml:1:11: the document "D1"`},
		{"unknown members are problems", "title:", "tilte:", `D2.yaml:2:1: unknown member "tilte"`},
		{"a slug is no heading", "section: top", "section: Top", `D2.yaml:10:14: the section "Top"`},
		{"numbers have no gap", "id: D2-2", "id: D2-3", "D2.yaml:23:5: the id D2-3: the next one is D2-2"},
		{"a kind is one of five", "kind: table", "kind: rumour", `D2.yaml:25:11: "rumour": want one of`},
		{"a detector is one of seven", "[guards]", "[guard]", `D2-2: unknown detector "guard"`},
		{"a clause exists", "[SG-15, SG-29]", "[SG-15, SG-99]", "D2-1: unknown clause SG-99"},
		{"a clause is the detector's", "[SG-15, SG-29]", "[SG-15, FP-1]", "D2-1: clause FP-1 belongs to none"},
		{
			"every reading has a finding", "      text: {status: holds, cases: [signature-a]}\n", "",
			"D2-1 has findings for [code]; its detectors have the readings [code text]",
		},
		{"what holds has a case", "holds, cases: [signature-a]", "holds", "D2-1, text: holds needs a case"},
		{"what is refuted has a reason", "        reason: They need not be in a row.\n", "", "D2-1, code: a reason stands where"},
		{"what holds has none", "status: holds,", "status: holds, reason: Because,", "D2-1, text: a reason stands where"},
		{"what is refuted demands something", "    says: {step: 4, expect: {loop: false}}\n", "", "D2-1, code: refuted needs says"},
		{"what is ambiguous demands nothing", "reason: Nobody can", "says: {result: 1}, reason: Nobody can", "demands nothing of a case"},
		{"a demand is of a step or of a function", "{step: 4, expect", "{expect", "says: want either step and expect, or result"},
		{"the case of the other reading stands in it", "other_reading: signature-a", "other_reading: signature-c", "D2-1, code: other_reading: want one of"},
		{"the case of the other reading is not left out", "        other_reading: signature-a\n", "", "D2-1, code: other_reading: want one of"},
		{
			"without the other side there is none", "text: {status: holds, cases: [signature-a]}",
			"text: {status: ambiguous, reason: So so.}", "so no case shows another",
		},
		{"a section is passed over or not", "section: files", "section: top", "D2-1 is in top, which is listed as without claims"},
		{"findings stand on clauses", "    clauses: [SG-15, SG-29]\n", "", "D2-1, code: refuted needs a clause"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(good, tt.old, tt.new, 1)
			if text == good {
				t.Fatalf("%q does not stand in the good file", tt.old)
			}
			d, err := Parse("D2.yaml", []byte(text))
			if err == nil {
				err = check([]Document{d})
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestLoadFindsCopiesAndNothing(t *testing.T) {
	copied := strings.Replace(good, "The guard waits for nobody.", "Three in a row are a loop.", 1)
	documents, err := Load(fstest.MapFS{"D2.yaml": {Data: []byte(copied)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := check(documents); err == nil || !strings.Contains(err.Error(), "D2-2 says what D2-1 says") {
		t.Errorf("got %v, want the copy to be named", err)
	}
	if _, err := Load(fstest.MapFS{}); err == nil {
		t.Error("a ledger without files was read")
	}
}

func TestByIDKnowsEveryClaim(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if got, known := ByID(c.ID); !known || got.Text != c.Text {
			t.Errorf("%s: got %v, %q", c.ID, known, got.Text)
		}
	}
	if _, known := ByID("D9-1"); known {
		t.Error("D9-1 is known")
	}
}
