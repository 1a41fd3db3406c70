package template_test

import (
	"errors"
	standardhtml "html/template"
	"io"
	"strings"
	"testing"
	standard "text/template"

	"github.com/loopstone/loopstone/spec/template"
)

type item struct {
	Name string
	Tags []string
}

type inner struct{ Depth int }

type page struct {
	*inner

	Title   string
	Items   []item
	None    []item
	Pointer *inner
	Nil     *inner
	True    bool
	Zero    int
	Any     any
	Nobody  any
}

var data = &page{
	inner: &inner{3}, Title: "a & b", Items: []item{{"x", []string{"1", "2"}}, {"y", nil}}, Pointer: &inner{4}, True: true,
	Any: item{Name: "any"},
}

// Method is not for templates.
func (*page) Method() string { return "called" }

var functions = template.Functions{
	"join":  strings.Join,
	"upper": strings.ToUpper,
	"name":  func(i item) string { return i.Name },
	"fails": func() string { panic("a fault of the program") },
}

func TestTemplatesMeanWhatTheyMeanInTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`text only`,
		`{{.Title}} {{.Depth}} {{.Pointer.Depth}} {{.Any.Name}} {{.True}}`,
		`a {{- /* comment */ -}} b {{- " c " -}} d`,
		`{{if .Title}}yes{{else}}no{{end}}{{if .None}}yes{{else}}no{{end}}{{if .Nil}}yes{{end}}{{if .True}}yes{{end}}`,
		`{{if .Zero}}yes{{else if .Pointer}}pointer{{else}}no{{end}}`,
		`{{with .Pointer}}{{.Depth}} {{$.Title}}{{end}}{{with .Nil}}{{.Depth}}{{else}}{{.Title}}{{end}}`,
		`{{range .Items}}{{.Name}}:{{range .Tags}}<{{.}}>{{else}}none{{end}};{{end}}{{range .None}}x{{else}}none{{end}}`,
		`{{range $i, $x := .Items}}{{if $i}}, {{end}}{{$x.Name}}{{end}}`,
		`{{range $x := .Items}}{{$x.Name}}{{.Name}}{{end}}`,
		`{{$x := .Title}}{{with $x := .Pointer}}{{$x.Depth}}{{end}}{{$x}}`,
		`{{if $x := .Title}}{{$x}}{{end}}`,
		`{{define "part"}}{{$.Name}}({{.Name}}){{end}}{{range .Items}}{{template "part" .}}{{end}}`,
		`{{range .Items}}{{join .Tags ", "}}{{upper (name .)}}{{end}}`,
	} {
		var want, got strings.Builder
		if err := standard.Must(standard.New("").Funcs(standard.FuncMap(functions)).Parse(text)).Execute(&want, data); err != nil {
			t.Fatal(err)
		}
		if err := template.Must(template.Parse("t", text, functions)).Execute(&got, data); err != nil || got.String() != want.String() {
			t.Errorf("%s:\n got %s, %v\nwant %s", text, &got, err, &want)
		}
	}
}

func TestWhatATemplateCannotSayIsAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{{.Titel}}`:                       `fill in t: template_test.page has no field Titel`,
		`{{.Method}}`:                      `fill in t: template_test.page has no field Method`,
		`{{.Title.Length}}`:                `fill in t: .Length: want a struct, got string`,
		`{{.Nil.Depth}}`:                   `fill in t: .Depth: want a struct, got invalid`,
		`{{.Title | upper}}`:               `fill in t: .Title | upper: want one command`,
		`{{.Title "a"}}`:                   `fill in t: .Title "a": only functions take arguments`,
		`{{upper}}`:                        `fill in t: upper: want 1 arguments`,
		`{{upper .Zero}}`:                  `fill in t: upper .Zero: argument 1 is no string`,
		`{{range .Title}}{{end}}`:          `fill in t: .Title: want a list, got string`,
		`{{range .Items}}{{break}}{{end}}`: `fill in t: {{break}}: no such action here`,
		`{{$x := .Title}}{{$x = "b"}}`:     `fill in t: $x = "b": no variable is set twice`,
		`{{1}}`:                            `fill in t: 1: no such operand here`,
		`{{template "part"}}`:              `fill in t: {{template "part"}}: want its data`,
		`{{.Nobody}}`:                      `fill in t: there is nothing to write`,
		`{{template "part" .}}`:            `fill in t: there is no template "part"`,
		`{{len .Title}}`:                   `parse the template: template: t:1: function "len" not defined`,
	} {
		page, err := template.Parse("t", text, functions)
		if err == nil {
			err = page.Execute(io.Discard, data)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}

// hostile is what a browser must see as text.
const hostile = `<script>alert("1")</script> & 'quoted' --> `

func TestHTMLIsEscapedBetweenTagsAndInAttributes(t *testing.T) {
	t.Parallel()
	const text = `<p title="{{.}}">{{.}}{{template "more" .}}</p>{{define "more"}}<b>{{.}}</b>{{end}}`
	var got, want strings.Builder
	if err := template.Must(template.Parse("t", text, nil)).ExecuteHTML(&got, hostile); err != nil {
		t.Fatal(err)
	}
	if err := standardhtml.Must(standardhtml.New("").Parse(text)).Execute(&want, hostile); err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("got %s\nwant %s", &got, &want)
	}
	got.Reset()
	if err := template.Must(template.Parse("t", `{{.}}`, nil)).ExecuteHTML(&got, template.HTML("<b>")); err != nil || got.String() != "<b>" {
		t.Errorf("HTML is written as %s, %v", &got, err)
	}
}

// full is a writer that takes nothing.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFaultsOfTheWriterAndOfTheProgramAreTheirs(t *testing.T) {
	t.Parallel()
	if err := template.Must(template.Parse("t", `text`, nil)).Execute(full{}, nil); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
	defer func() {
		if recover() == nil {
			t.Error("a function that panics is not a fault of the template")
		}
	}()
	_ = template.Must(template.Parse("t", `{{fails}}`, functions)).Execute(io.Discard, nil)
}
