// Package projecttests has the tests that look at the project as a whole: which room imports which (walls_test.go), how
// wide lines and how long functions are (style_test.go), whether the schemas of spec/schema are what the tables of the
// code make of the templates (schema_test.go), which words programs and pages use (words_test.go), whether the table of
// folders in CONTRIBUTING.md is true (rooms_test.go), and whether a detector, a clause, a case, a profile or a log
// format is added as CONTRIBUTING.md says (detector_test.go, contributing_test.go), whether all files are read within
// bounds (inputs_test.go), and whether every package that starts goroutines is raced (race_test.go). The folder
// templates has the sources of spec/schema.
package projecttests
