package spec

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a schema and a Go table both say is compared here, so that neither changes alone. How the schemas judge whole
// messages is tested in package conformance, which knows the cases too.

func TestSchemaHasTheIDOfItsFile(t *testing.T) {
	for _, name := range SchemaNames() {
		if got, want := textOf(schemaAt(t, name, "$id")), SchemaBase+name+".schema.json"; got != want {
			t.Errorf("%s: the $id is %q, want %q", name, got, want)
		}
		if got := textOf(schemaAt(t, name, "$schema")); got != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s: the $schema is %q, want 2020-12", name, got)
		}
	}
}

func TestSchemaNamesAreComplete(t *testing.T) {
	want := []string{"cases", "claims", "event", "protocol", "report", "verdict"}
	if diff := cmp.Diff(want, SchemaNames()); diff != "" {
		t.Errorf("schemas (-want +got):\n%s", diff)
	}
}

func TestUnknownSchemaIsAnErrorThatNamesTheKnownOnes(t *testing.T) {
	_, err := Schema("evnt")
	if err == nil || !strings.Contains(err.Error(), "event") {
		t.Errorf("got %v, want an error that names event", err)
	}
}

func TestSchemasKnowTheEventTypes(t *testing.T) {
	want := plainTexts(EventTypes())
	sameList(t, "event: type", want, schemaAt(t, "event", "properties", "type", "enum"))
	sameList(t, "cases: type", want, schemaAt(t, "cases", "$defs", "event", "properties", "type", "enum"))
	for _, typ := range want {
		checkEventMembers(t, EventType(typ), schemaAt(t, "event", "$defs", typ))
		if schemaAt(t, "cases", "$defs", "step", "properties", typ).IsAbsent() {
			t.Errorf("cases: a step has no %s", typ)
		}
	}
}

func checkEventMembers(t *testing.T, typ EventType, schema Value) {
	t.Helper()
	names, required := []string{"at"}, []string{}
	for _, m := range eventMembers[typ] {
		names = append(names, m.name)
		if m.required {
			required = append(required, m.name)
		}
		property := schema.Get("properties").Get(m.name)
		if got := property.Get("type"); !got.IsAbsent() && textOf(got) != m.kind.String() {
			t.Errorf("event: %s.%s is a %s, want %s", typ, m.name, got, m.kind)
		}
	}
	sameSet(t, "event: members of "+string(typ), names, memberNames(schema.Get("properties")))
	sameSet(t, "event: required members of "+string(typ), required, textsOf(schema.Get("required")))
}

func TestSchemasKnowTheMembersOfVerdicts(t *testing.T) {
	properties := schemaAt(t, "verdict", "properties")
	sameSet(t, "verdict: members", VerdictMembers(), memberNames(properties))
	for _, m := range verdictMembers {
		if got := textOf(properties.Get(m.name).Get("type")); got != m.kind.String() {
			t.Errorf("verdict: %s is a %s, want %s", m.name, got, m.kind)
		}
	}
	sameSet(t, "cases: members of an expected verdict", VerdictMembers(),
		memberNames(schemaAt(t, "cases", "$defs", "verdict-expectation", "properties")))
}

func TestSchemasKnowTheKindsOfVerdicts(t *testing.T) {
	kinds := declaredKinds(t)
	var all []string
	for _, p := range Profiles() {
		want := kinds[p.ID]
		all = append(all, want...)
		kind := schemaAt(t, "verdict", "$defs", string(p.ID), "then", "properties", "kind")
		got := textsOf(kind.Get("enum"))
		if only := kind.Get("const"); !only.IsAbsent() {
			got = []string{textOf(only)}
		}
		sameSet(t, "verdict: kinds of "+string(p.ID), want, got)
	}
	enum := schemaAt(t, "cases", "$defs", "expected-kind", "then", "enum").Items()
	if enum[len(enum)-1].Kind() != Null {
		t.Error("cases: the last of the expected kinds is not null")
	}
	sameSet(t, "cases: expected kinds", all, textsOf(ArrayValue(enum[:len(enum)-1]...)))
}

// declaredKinds reads the constants of type VerdictKind from the source, with the detector that the comment beside
// each names: there is no table of them at run time.
func declaredKinds(t *testing.T) map[DetectorID][]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "verdict.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[DetectorID][]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		constant, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := constant.Type.(*ast.Ident); !ok || typ.Name != "VerdictKind" {
			return true
		}
		kind, err := strconv.Unquote(constant.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		detector := DetectorID(strings.TrimSpace(constant.Comment.Text()))
		kinds[detector] = append(kinds[detector], kind)
		return true
	})
	if len(kinds) != len(Profiles()) {
		t.Fatalf("kinds of %d detectors are declared, want %d: %v", len(kinds), len(Profiles()), kinds)
	}
	return kinds
}

func TestSchemasKnowTheKindsOfFaults(t *testing.T) {
	want := plainTexts(FaultKinds)
	sameList(t, "protocol: kinds of refusals", want, schemaAt(t, "protocol", "$defs", "refusal", "properties", "kind", "enum"))
	sameList(t, "cases: kinds of faults", want, schemaAt(t, "cases", "$defs", "fault", "properties", "kind", "enum"))
}

func TestSchemasKnowTheDetectors(t *testing.T) {
	var ids, prefixes []string
	for _, p := range Profiles() {
		ids, prefixes = append(ids, string(p.ID)), append(prefixes, p.Prefix)
	}
	sameList(t, "protocol: detectors", ids, schemaAt(t, "protocol", "$defs", "known-offer", "properties", "id", "enum"))
	sameList(t, "cases: detectors", append(ids, "protocol"), schemaAt(t, "cases", "properties", "detector", "enum"))
	pattern := textOf(schemaAt(t, "cases", "$defs", "case", "properties", "clauses", "items", "pattern"))
	if want := "^(" + strings.Join(append(prefixes, "PR"), "|") + ")-[1-9][0-9]*$"; pattern != want {
		t.Errorf("cases: the pattern of clauses is %s, want %s", pattern, want)
	}
}

func TestSchemasKnowWhatADetectorCanDeclare(t *testing.T) {
	for i, p := range Profiles() {
		offer := schemaAt(t, "protocol", "$defs", "known-offer", "allOf").Items()[i].Get("then").Get("properties")
		theCase := schemaAt(t, "cases", "$defs", string(p.ID)+"-case", "properties")
		sameList(t, "protocol: readings of "+string(p.ID), plainTexts(p.Readings), offer.Get("readings").Get("items").Get("enum"))
		sameList(t, "protocol: features of "+string(p.ID), plainTexts(p.Features), offer.Get("features").Get("items").Get("enum"))
		sameList(t, "cases: readings of "+string(p.ID), plainTexts(p.Readings), theCase.Get("readings").Get("items").Get("enum"))
		sameList(t, "cases: features of "+string(p.ID), plainTexts(p.Features), theCase.Get("needs").Get("items").Get("enum"))
		called := theCase.Get("call").Get("properties").Get("function").Get("enum")
		sameSet(t, "cases: functions of "+string(p.ID), memberNamesOf(p.Functions), textsOf(called))
		for name := range p.Functions {
			for _, def := range []string{name + "-args", name + "-value"} {
				if schemaAt(t, "protocol", "$defs", def).IsAbsent() {
					t.Errorf("protocol: there is no definition %s", def)
				}
			}
		}
	}
}

// The schema of case files stands on its own, since some editors fetch what a schema refers to. What it has in common
// with the others it holds as copies.
func TestCopiesInTheSchemaOfCasesAreTrue(t *testing.T) {
	copied := schemaAt(t, "cases", "$defs")
	for _, m := range schemaAt(t, "event", "$defs").Members() {
		sameCopy(t, "cases: $defs/"+m.Name, m.Value, copied.Get(m.Name))
	}
	for _, member := range []string{"type", "required", "properties", "allOf"} {
		sameCopy(t, "cases: $defs/event/"+member, schemaAt(t, "event", member), copied.Get("event").Get(member))
	}
	for _, p := range Profiles() {
		name := string(p.ID) + "-config"
		sameCopy(t, "cases: $defs/"+name, schemaAt(t, "protocol", "$defs", name), copied.Get(name))
	}
	sameCopy(t, "cases: $defs/setting", schemaAt(t, "protocol", "$defs", "setting"), copied.Get("setting"))
}

// schemaAt returns what a schema has at a path of members; absent where it has nothing there.
func schemaAt(t *testing.T, schema string, path ...string) Value {
	t.Helper()
	source, err := Schema(schema)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ParseValue(source)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	for _, name := range path {
		v = v.Get(name)
	}
	return v
}

func sameList(t *testing.T, what string, want []string, got Value) {
	t.Helper()
	if diff := cmp.Diff(want, textsOf(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func sameSet(t *testing.T, what string, want, got []string) {
	t.Helper()
	want, got = slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func sameCopy(t *testing.T, what string, want, got Value) {
	t.Helper()
	if !want.Equal(got) || want.IsAbsent() {
		t.Errorf("%s is no copy:\n-want %s\n+got  %s", what, want, got)
	}
}

func textOf(v Value) string {
	s, _ := v.Str()
	return s
}

func textsOf(list Value) []string {
	var all []string
	for _, item := range list.Items() {
		all = append(all, textOf(item))
	}
	return all
}

func plainTexts[T ~string](list []T) []string {
	var all []string
	for _, item := range list {
		all = append(all, string(item))
	}
	return all
}

func memberNames(object Value) []string {
	var all []string
	for _, m := range object.Members() {
		all = append(all, m.Name)
	}
	return all
}

func memberNamesOf[T any](m map[string]T) []string {
	var all []string
	for name := range m {
		all = append(all, name)
	}
	return all
}
