package report

import (
	"reflect"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
)

// nasty are pieces of text that some format gives a meaning to, or cannot hold.
var nasty = []string{
	"a", "b c", "\n", "\r", "\t", "\x00", "\x1b[31m", "\x7f", "\u0085", "\u202e", "\u2028", "\ufeff", "\ufffd", "\ufffe",
	"\"", "'", "`", "```", "\\", "%", "%0A", ":", "::", ",", "#", "# SKIP", "|", "<", ">", "&", "&lt;", "]]>", "<!--", "</details>",
	"---", "...", "\n  ...\n", "{", "}", "[", "- ", "* ", "@all", "::error::x", "ä", "大小", "😀", "e\u0301", "ok 1", "not ok",
}

// hostileText draws a text out of nasty pieces.
func hostileText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := ""
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom(nasty), 0, 4).Draw(t, "pieces") {
			text += piece
		}
		return text
	})
}

// hostileReport draws a report every member of which is set to something, so that a member that is added later is
// covered too.
func hostileReport() *rapid.Generator[*conformance.Report] {
	return rapid.Custom(func(t *rapid.T) *conformance.Report {
		r := &conformance.Report{}
		fill(t, reflect.ValueOf(r).Elem())
		for i := range r.Results {
			result := &r.Results[i]
			result.Case += "c" // a case has a name and a clause
			result.Clauses = append(result.Clauses, "FP-1")
			if !mayFail(result.Status) {
				result.Failure = nil
			}
		}
		return r
	})
}

// fill draws something for every part of a value.
func fill(t *rapid.T, v reflect.Value) {
	switch v.Interface().(type) {
	case conformance.Status:
		v.SetString(string(rapid.SampledFrom(statuses).Draw(t, "status")))
		return
	case time.Duration:
		v.SetInt(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "duration"))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		n := rapid.IntRange(1, 3).Draw(t, "length")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(t, v.Index(i))
		}
	case reflect.String:
		v.SetString(hostileText().Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64Range(1, 1000).Draw(t, "number"))
	default:
		t.Fatalf("the report has a member of a kind that fill does not know: %s", v.Type())
	}
}
