package score

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed report.html.tmpl
var pageText string

var htmlPage = template.Must(template.New("report").Parse(pageText))

// htmlSection is a section as the page's template sees it.
type htmlSection struct {
	Title string
	Lines []string
	Head  []string
	Rows  [][]string
	Chart template.HTML // drawn by us, with all names escaped
}

// WriteHTML writes the report as one page that needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error {
	var sections []htmlSection
	for _, s := range r.sections() {
		sections = append(sections, htmlSection{s.title, s.lines, s.head, s.rows, template.HTML(s.chart)})
	}
	return htmlPage.Execute(w, sections)
}
