package spec

import (
	"slices"
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
		names = append(names, m.Name)
		if m.Required {
			required = append(required, m.Name)
		}
		property := schema.Get("properties").Get(m.Name)
		if got := property.Get("type"); !got.IsAbsent() && textOf(got) != m.Kind.String() {
			t.Errorf("event: %s.%s is a %s, want %s", typ, m.Name, got, m.Kind)
		}
	}
	sameSet(t, "event: members of "+string(typ), names, memberNames(schema.Get("properties")))
	sameSet(t, "event: required members of "+string(typ), required, textsOf(schema.Get("required")))
}

func TestSchemasKnowTheMembersOfVerdicts(t *testing.T) {
	properties := schemaAt(t, "verdict", "properties")
	sameSet(t, "verdict: members", VerdictMembers(), memberNames(properties))
	for _, m := range verdictMembers {
		if got := textOf(properties.Get(m.Name).Get("type")); got != m.Kind.String() {
			t.Errorf("verdict: %s is a %s, want %s", m.Name, got, m.Kind)
		}
	}
	sameSet(t, "cases: members of an expected verdict", VerdictMembers(),
		memberNames(schemaAt(t, "cases", "$defs", "verdict-expectation", "properties")))
}

func TestSchemasKnowTheVerdicts(t *testing.T) {
	var all []string
	for _, d := range Detectors() {
		loop := schemaAt(t, "verdict", "$defs", string(d.ID), "then")
		sameSet(t, "verdict: kinds of "+string(d.ID), kindsOf(d), enumOf(loop.Get("properties").Get("kind")))
		all = append(all, kindsOf(d)...)
		may, must := []string{"loop", "kind", "evidence"}, []string{"kind"}
		for _, m := range verdictMembers {
			if anyRule(d, func(r Rule) bool { return slices.Contains(slices.Concat(r.Required, r.Optional), m.Name) }) {
				may = append(may, m.Name)
			}
			if !anyRule(d, func(r Rule) bool { return !slices.Contains(r.Required, m.Name) }) {
				must = append(must, m.Name)
			}
		}
		sameSet(t, "verdict: members of "+string(d.ID), may, textsOf(loop.Get("propertyNames").Get("enum")))
		sameSet(t, "verdict: required members of "+string(d.ID), must, textsOf(loop.Get("required")))
	}
	enum := schemaAt(t, "cases", "$defs", "expected-kind", "then", "enum").Items()
	if enum[len(enum)-1].Kind() != Null {
		t.Error("cases: the last of the expected kinds is not null")
	}
	sameSet(t, "cases: expected kinds", all, textsOf(ArrayValue(enum[:len(enum)-1]...)))
}

func anyRule(d Definition, is func(Rule) bool) bool { return slices.ContainsFunc(d.Rules, is) }

func kindsOf(d Definition) []string {
	var kinds []string
	for _, r := range d.Rules {
		kinds = append(kinds, string(r.Kind))
	}
	return kinds
}

// enumOf returns the values that a schema allows.
func enumOf(schema Value) []string {
	if only := schema.Get("const"); !only.IsAbsent() {
		return []string{textOf(only)}
	}
	return textsOf(schema.Get("enum"))
}

func TestSchemasKnowTheSettings(t *testing.T) {
	for _, d := range Detectors() {
		sameSettings(t, string(d.ID), d.Settings, schemaAt(t, "protocol", "$defs", string(d.ID)+"-config", "properties"))
	}
}

func sameSettings(t *testing.T, of string, settings []Parameter, schema Value) {
	t.Helper()
	var names []string
	for _, p := range settings {
		names = append(names, p.Name)
		got := schema.Get(p.Name)
		if textOf(got.Get("description")) != p.Doc {
			t.Errorf("protocol: %s.%s is described as %s, want %q", of, p.Name, got.Get("description"), p.Doc)
		}
		if p.Defaults == nil && !got.Get("default").Equal(p.Default) {
			t.Errorf("protocol: the default of %s.%s is %s, want %s", of, p.Name, got.Get("default"), p.Default)
		}
		if p.Kind == Number && (textOf(got.Get("$ref")) == "#/$defs/setting") != (p.Least == 1) {
			t.Errorf("protocol: %s.%s is %s, want at least %d", of, p.Name, got, p.Least)
		}
		if p.Members != nil {
			sameSettings(t, of+"."+p.Name, p.Members, got.Get("properties"))
		}
	}
	sameSet(t, "protocol: settings of "+of, names, memberNames(schema))
}

func TestSchemasKnowTheKindsOfFaults(t *testing.T) {
	want := plainTexts(FaultKinds)
	sameList(t, "protocol: kinds of refusals", want, schemaAt(t, "protocol", "$defs", "refusal", "properties", "kind", "enum"))
	sameList(t, "cases: kinds of faults", want, schemaAt(t, "cases", "$defs", "fault", "properties", "kind", "enum"))
}

func TestSchemasKnowTheDetectors(t *testing.T) {
	var ids, prefixes []string
	for _, p := range Detectors() {
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
	for i, p := range Detectors() {
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
	for _, p := range Detectors() {
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
