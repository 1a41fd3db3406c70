package score

import (
	_ "embed"
	"io"

	"github.com/loopstone/loopstone/spec/template"
)

//go:embed report.html.tmpl
var pageText string

var htmlPage = template.Must(template.Parse("report", pageText, template.Functions{
	"cell": func(row []string, i int) string { return row[i] },
}))

// WriteHTML writes the report as one page that needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error { return htmlPage.ExecuteHTML(w, r.sections()) }
