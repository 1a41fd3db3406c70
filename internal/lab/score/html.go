package score

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed report.html.tmpl
var pageText string

var htmlPage = template.Must(template.New("report").Parse(pageText))

// WriteHTML writes the report as one page that needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error { return htmlPage.Execute(w, r.sections()) }
