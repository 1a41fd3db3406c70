package rulecases

import (
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// declarations are configurations that differ in one member: a port of either must not pass as one of the other.
var declarations = []struct{ member, with, without string }{
	{"same.by", `{"rules":[{"same":{"by":"tool"}}]}`, `{"rules":[{}]}`},
	{"same.by: step", `{"rules":[{"same":{"by":"step"}}]}`, `{"rules":[{}]}`},
	{"same.results", `{"rules":[{"same":{"results":"text"}}]}`, `{"rules":[{}]}`},
	{"same.outcome", `{"rules":[{"same":{"outcome":"failed"}}]}`, `{"rules":[{"same":{"outcome":"ok"}}]}`},
	{"same.prefix", `{"rules":[{"same":{"results":"text","prefix":40}}]}`, `{"rules":[{"same":{"results":"text"}}]}`},
	{"same.prefix, longer", `{"rules":[{"same":{"results":"text","prefix":40}}]}`, `{"rules":[{"same":{"results":"text","prefix":41}}]}`},
	{"same.key_order", `{"rules":[{"same":{"key_order":"kept"}}]}`, `{"rules":[{}]}`},
	{"same.order", `{"rules":[{"same":{"by":"step","order":"any"}}]}`, `{"rules":[{"same":{"by":"step"}}]}`},
	{"same.keep", `{"rules":[{"same":{"keep":["path"]}}]}`, `{"rules":[{}]}`},
	{"same.keep, two", `{"rules":[{"same":{"keep":["path","command"]}}]}`, `{"rules":[{"same":{"keep":["path"]}}]}`},
	{"same.omit", `{"rules":[{"same":{"omit":["path"]}}]}`, `{"rules":[{}]}`},
	{"same.omit, two", `{"rules":[{"same":{"omit":["path","n"]}}]}`, `{"rules":[{"same":{"omit":["path"]}}]}`},
	{"same.by: message", `{"rules":[{"same":{"by":"message"}}]}`, `{"rules":[{"same":{"by":"speech"}}]}`},
	{"same.by: piece", `{"rules":[{"same":{"by":"piece"}}]}`, `{"rules":[{"same":{"by":"message"}}]}`},
	{"same.results: any", `{"rules":[{"same":{"results":"any"}}]}`, `{"rules":[{}]}`},
	{"same.results: any, not text", `{"rules":[{"same":{"results":"any"}}]}`, `{"rules":[{"same":{"results":"text"}}]}`},
	{"same.thought", `{"rules":[{"same":{"thought":true}}]}`, `{"rules":[{}]}`},
	{"same.thought of steps", `{"rules":[{"same":{"by":"step","thought":true}}]}`, `{"rules":[{"same":{"by":"step"}}]}`},
	{"pattern.sort", `{"rules":[{"pattern":{"sort":"among"}}]}`, `{"rules":[{}]}`},
	{
		"pattern.sort: streak", `{"rules":[{"same":{"results":"text"},"pattern":{"sort":"streak"}}]}`,
		`{"rules":[{"same":{"results":"text"}}]}`,
	},
	{"pattern.sort: revisit", `{"rules":[{"pattern":{"sort":"revisit"}}]}`, `{"rules":[{"pattern":{"sort":"among"}}]}`},
	{"pattern.last of revisit", `{"rules":[{"pattern":{"sort":"revisit","last":12}}]}`, `{"rules":[{"pattern":{"sort":"revisit"}}]}`},
	{"pattern.last", `{"rules":[{"pattern":{"sort":"among","last":12}}]}`, `{"rules":[{"pattern":{"sort":"among"}}]}`},
	{"pattern.last, large", `{"rules":[{"pattern":{"sort":"among","last":900}}]}`, `{"rules":[{"pattern":{"sort":"among"}}]}`},
	{"pattern.from", `{"rules":[{"pattern":{"sort":"cycle","from":3}}]}`, `{"rules":[{"pattern":{"sort":"cycle"}}]}`},
	{"pattern.to", `{"rules":[{"pattern":{"sort":"cycle","to":7}}]}`, `{"rules":[{"pattern":{"sort":"cycle"}}]}`},
	{
		"pattern.varied", `{"rules":[{"same":{"results":"text"},"pattern":{"sort":"cycle","varied":true}}]}`,
		`{"rules":[{"same":{"results":"text"},"pattern":{"sort":"cycle"}}]}`,
	},
	{"pattern.counts", `{"rules":[{"pattern":{"sort":"among","counts":"highest"}}]}`, `{"rules":[{"pattern":{"sort":"among"}}]}`},
	{
		"pattern.sort: periodic", `{"rules":[{"pattern":{"sort":"periodic"},"rungs":[{"at":7}]}]}`,
		`{"rules":[{"pattern":{"sort":"cycle"},"rungs":[{"at":7}]}]}`,
	},
	{"pattern.full", `{"rules":[{"pattern":{"sort":"among","full":true}}]}`, `{"rules":[{"pattern":{"sort":"among"}}]}`},
	{"pattern.seconds", `{"rules":[{"pattern":{"sort":"among","seconds":30}}]}`, `{"rules":[{"pattern":{"sort":"among"}}]}`},
	{
		"pattern.seconds, more", `{"rules":[{"pattern":{"sort":"among","seconds":30}}]}`,
		`{"rules":[{"pattern":{"sort":"among","seconds":31}}]}`,
	},
	{"tools.only", `{"rules":[{"tools":{"only":["bash","read_file"]}}]}`, `{"rules":[{"tools":{"only":["bash"]}}]}`},
	{"tools.only, at all", `{"rules":[{"tools":{"only":["bash"]}}]}`, `{"rules":[{}]}`},
	{"tools.except", `{"rules":[{"tools":{"except":["wait"]}}]}`, `{"rules":[{}]}`},
	{
		"tools.except by argument", `{"rules":[{"tools":{"except":["bash?command=ls"]}}]}`,
		`{"rules":[{"tools":{"except":["bash?command=la"]}}]}`,
	},
	{"tools.silent", `{"rules":[{"tools":{"silent":["*_poll"]}}]}`, `{"rules":[{}]}`},
	{"tools.watched", `{"rules":[{"tools":{"watched":["bash"]}}]}`, `{"rules":[{}]}`},
	{"tools.silent, not except", `{"rules":[{"tools":{"silent":["bash"]}}]}`, `{"rules":[{"tools":{"except":["bash"]}}]}`},
	{"fresh: user", `{"rules":[{"fresh":["user"]}]}`, `{"rules":[{}]}`},
	{"fresh: reply", `{"rules":[{"fresh":["reply"]}]}`, `{"rules":[{}]}`},
	{"fresh: message", `{"rules":[{"fresh":["message"]}]}`, `{"rules":[{}]}`},
	{"fresh: call", `{"rules":[{"same":{"by":"speech"},"fresh":["call"]}]}`, `{"rules":[{"same":{"by":"speech"}}]}`},
	{"fresh: change", `{"rules":[{"fresh":["change"],"changes":["edit_file"]}]}`, `{"rules":[{}]}`},
	{
		"changes", `{"rules":[{"fresh":["change"],"changes":["edit_file","write_file"]}]}`,
		`{"rules":[{"fresh":["change"],"changes":["edit_file"]}]}`,
	},
	{"judged", `{"rules":[{"judged":"before"}]}`, `{"rules":[{}]}`},
	{"rungs.at", `{"rules":[{"rungs":[{"at":4}]}]}`, `{"rules":[{}]}`},
	{"rungs.speaks: once", `{"rules":[{"rungs":[{"speaks":"once"}]}]}`, `{"rules":[{}]}`},
	{"rungs.speaks: restart", `{"rules":[{"rungs":[{"speaks":"restart"}]}]}`, `{"rules":[{"rungs":[{"speaks":"stays"}]}]}`},
	{"rungs.speaks: stays", `{"rules":[{"rungs":[{"speaks":"stays"}]}]}`, `{"rules":[{}]}`},
	{"rungs.severity", `{"rules":[{"rungs":[{"severity":"notice"}]}]}`, `{"rules":[{}]}`},
	{"rungs.name", `{"rules":[{"rungs":[{"name":"stop"}]}]}`, `{"rules":[{}]}`},
	{"rules.name", `{"rules":[{"name":"again"}]}`, `{"rules":[{}]}`},
	{
		"a member of a rule behind another", `{"rules":[{},{"same":{"by":"tool"},"rungs":[{"at":5}]}]}`,
		`{"rules":[{},{"same":{"by":"tool","results":"text"},"rungs":[{"at":5}]}]}`,
	},
}

// ofStream are the same for the detector stream.
var ofStream = []struct{ member, with, without string }{
	{"rules", `{"rules":["tail","lines"]}`, `{"rules":["tail"]}`},
	{"channels", `{"channels":["answer"]}`, `{}`},
	{"fresh", `{"fresh":["user"]}`, `{}`},
	{"fresh: reply", `{"fresh":["reply"]}`, `{"fresh":[]}`},
	{"tail_from", `{"rules":["tail"],"tail_from":20}`, `{"rules":["tail"]}`},
	{"tail_to", `{"rules":["tail"],"tail_to":300}`, `{"rules":["tail"]}`},
	{"tail_copies", `{"rules":["tail"],"tail_copies":6}`, `{"rules":["tail"]}`},
	{"chunk_size", `{"rules":["chunk"],"chunk_size":30}`, `{"rules":["chunk"]}`},
	{"chunk_copies", `{"rules":["chunk"],"chunk_copies":8}`, `{"rules":["chunk"]}`},
	{"chunk_distance", `{"rules":["chunk"],"chunk_distance":100}`, `{"rules":["chunk"]}`},
	{"chunk_texts", `{"rules":["chunk"],"chunk_texts":2}`, `{"rules":["chunk"]}`},
	{"lines_copies", `{"rules":["lines"],"lines_copies":7}`, `{"rules":["lines"]}`},
	{"lines_share", `{"rules":["lines"],"lines_share":80}`, `{"rules":["lines"]}`},
	{"lines_different", `{"rules":["lines"],"lines_different":20}`, `{"rules":["lines"]}`},
	{"lines_least", `{"rules":["lines"],"lines_least":100}`, `{"rules":["lines"]}`},
	{"lines_window", `{"rules":["lines"],"lines_window":2000}`, `{"rules":["lines"]}`},
}

// TestEachMemberOfADeclarationIsDecided: a port that ignores a member fails, and so does one that has a member which it
// does not declare.
func TestEachMemberOfADeclarationIsDecided(t *testing.T) {
	if testing.Short() {
		t.Skip("each member is two ports: make long runs it")
	}
	t.Parallel()
	for id, table := range map[spec.DetectorID][]struct{ member, with, without string }{
		"@mine": declarations, "@mine-stream": ofStream,
	} {
		others := map[string]map[string]string{} // by what is declared and by what is wrong
		add := func(declared, wrong, other string) {
			if others[declared] == nil {
				others[declared] = map[string]string{}
			}
			others[declared][wrong] = other
		}
		for _, tt := range table {
			add(tt.with, tt.member+" is ignored", tt.without)
			add(tt.without, tt.member+" is not declared", tt.with)
		}
		for declared, wrong := range others {
			t.Run(declared, func(t *testing.T) {
				t.Parallel()
				decides(t, id, declared, wrong)
			})
		}
	}
}

// decides runs what a port of a declared configuration is asked on the reference with this and with others.
func decides(t *testing.T, id spec.DetectorID, declared string, others map[string]string) {
	t.Helper()
	row, _ := spec.DefinitionOf(id)
	offer := row.Offer()
	offer.Fixed = spec.MustParse(declared)
	asked := askedOf(t, offer)
	if !passes(t, reference.Port(offer), asked) {
		t.Errorf("a port fails that does as it declares")
	}
	for wrong, other := range others {
		offer.Fixed = spec.MustParse(other)
		if got := outcomeOf(t, reference.Port(offer), asked); got != conformance.NotConformant {
			t.Errorf("%s: a port with %s is %s in %d cases", wrong, other, got, len(asked))
		}
	}
}
