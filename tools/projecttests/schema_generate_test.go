package projecttests

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

//go:embed templates/*.json.tmpl
var templates embed.FS

// generated returns the text of every schema, by the name of its file. It reads the Go source below root, the folder of
// the module; its error names what cannot be read, or the template that makes no JSON.
func generated(root string) (map[string][]byte, error) {
	source, err := readSource(root)
	if err != nil {
		return nil, err
	}
	all, err := template.New("").Funcs(tables(source)).ParseFS(templates, "templates/*.json.tmpl")
	if err != nil {
		return nil, err
	}
	written := map[string][]byte{}
	for _, t := range all.Templates() {
		name, isSchema := strings.CutSuffix(t.Name(), ".json.tmpl")
		if !isSchema || name == "shared" {
			continue
		}
		var b bytes.Buffer
		if err := t.Execute(&b, schemaBase+name+".schema.json"); err != nil {
			return nil, err
		}
		v, err := spec.ParseValue(b.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s makes no JSON: %w\n%s", t.Name(), err, b.Bytes())
		}
		written[name+".schema.json"] = []byte(pretty("", v, "") + "\n")
	}
	return written, nil
}

// tables returns what the templates ask for beside the rows' own members.
func tables(source source) template.FuncMap {
	return template.FuncMap{
		"detectors":      spec.Detectors,
		"eventTypes":     spec.EventTypes,
		"eventMembers":   spec.EventMembers,
		"anyMembers":     spec.AnyMembers,
		"roles":          spec.Roles,
		"channels":       spec.Channels,
		"faults":         func() []spec.FaultKind { return spec.FaultKinds },
		"methods":        stdio.Methods,
		"maxEvidence":    func() int { return spec.MaxEvidence },
		"maxCount":       func() int { return spec.MaxCount },
		"constants":      source.constantsOf,
		"structs":        source.structs,
		"ids":            func() []string { return each(func(d spec.Definition) []string { return []string{string(d.ID)} }) },
		"prefixes":       func() []string { return each(func(d spec.Definition) []string { return []string{d.Prefix} }) },
		"documents":      documents,
		"readings":       func() []string { return each(func(d spec.Definition) []string { return texts(d.Readings) }) },
		"kinds":          func() []string { return each(kindsOf) },
		"kindsOf":        kindsOf,
		"required":       required,
		"verdictMembers": verdictMembers,
		"allFunctions":   func() []string { return each(functions) },
		"functions":      functions,
		"lacking":        lacking,
		"outcomes":       outcomes,
		"formats":        report.Formats,
		"json":           func(v any) (string, error) { b, err := json.Marshal(v); return string(b), err },
		"join":           strings.Join,
		"contains":       strings.Contains,
		"ofKind":         ofKind,
		"words":          func(all ...string) []string { return all },
		"replace":        strings.ReplaceAll,
		"list":           func(first []string, more ...string) []string { return append(slices.Clip(first), more...) },
		"concat":         func(lists ...[]string) []string { return slices.Concat(lists...) },
		"comma":          comma,
	}
}

// comma returns what stands before the item with that index.
func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// each returns what the detectors have of something, each of them once, in the order of the table.
func each(of func(spec.Definition) []string) []string {
	var all []string
	for _, d := range spec.Detectors() {
		for _, text := range of(d) {
			if !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}

func documents() []string {
	return slices.Sorted(slices.Values(each(func(d spec.Definition) []string { return d.Documents })))
}

func texts[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, t := range list {
		all[i] = string(t)
	}
	return all
}

func kindsOf(d spec.Definition) []string {
	var all []string
	for _, r := range d.Rules {
		all = append(all, string(r.Kind))
	}
	return all
}

func functions(d spec.Definition) []string { return slices.Sorted(maps.Keys(d.Functions)) }

func required(t spec.EventType) []string {
	all := []string{} // which is a list in a schema, too
	for _, m := range spec.EventMembers(t) {
		if m.Required {
			all = append(all, m.Name)
		}
	}
	return all
}

func verdictMembers() []spec.VerdictMember {
	var all []spec.VerdictMember
	for _, name := range spec.VerdictMembers() {
		m, _ := spec.VerdictMemberOf(name)
		all = append(all, m)
	}
	return all
}

// lacking returns the settings of a detector that a reading does not have.
func lacking(d spec.Definition, r spec.Reading) []spec.Parameter {
	return slices.DeleteFunc(slices.Clone(d.Settings), func(p spec.Parameter) bool { return p.In(r) })
}

// ofKind returns the members of the schema of a setting, or of what it holds.
func ofKind(kind spec.Kind, least int) string {
	switch {
	case kind != spec.Number:
		return fmt.Sprintf(`"type": %q`, kind)
	case least == 1:
		return `"$ref": "#/$defs/setting"`
	default:
		return fmt.Sprintf(`"type": "integer", "minimum": %d`, least)
	}
}

// outcomes returns the words for the outcomes of a run; the index of each is its exit code.
func outcomes() []string {
	var all []string
	for o := conformance.Conformant; o <= conformance.Improved; o++ {
		all = append(all, o.String())
	}
	return all
}

// width is how long a line is at most that holds a list or an object.
const width = 120

// pretty returns what stands on a line with that indentation: the head, such as a member's name, and the value, on that
// line if it fits there, else with each of its own members and items on a line of theirs.
func pretty(head string, v spec.Value, indent string) string {
	var line bytes.Buffer
	_ = json.Indent(&line, v.AppendJSON(nil), "", "") // no error: it is JSON
	short := head + strings.ReplaceAll(line.String(), "\n", " ")
	if len(indent)+len(short) < width || len(v.Items())+len(v.Members()) == 0 {
		return short
	}
	var parts []string
	for _, item := range v.Items() {
		parts = append(parts, pretty("", item, indent+"  "))
	}
	for _, m := range v.Members() {
		parts = append(parts, pretty(spec.StringValue(m.Name).String()+": ", m.Value, indent+"  "))
	}
	brackets := map[spec.Kind]string{spec.Array: "[]", spec.Object: "{}"}[v.Kind()]
	inner := "\n" + indent + "  "
	return head + brackets[:1] + inner + strings.Join(parts, ","+inner) + "\n" + indent + brackets[1:]
}
