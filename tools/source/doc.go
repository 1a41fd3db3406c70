// Package source has the tests that look at the project as a whole: which room imports which (walls_test.go), how wide
// lines and how long functions are (style_test.go), whether the schemas of spec/schema are what the tables of the code
// make of the templates (schema_test.go), and how little it takes to add a detector, as the section "Add a detector" of
// CONTRIBUTING.md says (eighth_test.go).
package source
