// Package schema writes the JSON Schemas of spec/schema, as golden files of its tests: X.schema.json is made of the
// template X.json.tmpl. The names of settings, members, kinds and features come from the tables of package spec, the
// members of a report from the Go types that are written; in the templates stands only what no table has.
//
// Only who changes what the suite reads or writes needs this package: make generate runs it.
package schema
