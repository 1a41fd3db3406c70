// Package strictyaml reads the dialect of YAML that the suite's files are written in: the part that means the same to
// every reader. Each node knows its place, so that an error can say where something is wrong.
//
// The dialect: one document; no tags, anchors, aliases or merges; no duplicate names; a plain (unquoted) scalar is a
// number as JSON writes it, true, false, null, or a text that no reader takes for anything else. Refused are the words
// that some reader takes for a boolean or null (yes, no, on, off, y, n, ~, and true, false, null in other cases),
// numbers in other spellings (012, 1_000, 1:30, .5) and dates.
//
// Only tests import the YAML library beside it.
package strictyaml
