package wording

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ReadJSON reads a JSON text into a value, and ignores members that the value does not have. Its error is as [JSON]
// returns it.
func ReadJSON(text []byte, into any) error { return JSON(json.Unmarshal(text, into)) }

// ReadWholeJSON is [ReadJSON], and refuses members that the value does not have.
func ReadWholeJSON(text []byte, into any) error {
	return JSON(json.Unmarshal(text, into, json.RejectUnknownMembers(true)))
}

// jsonError is an error of the library that reads JSON, in words of our own.
type jsonError struct {
	text  string
	cause error
}

// Error says where the text is wrong, what is wanted there, and what there is.
func (e *jsonError) Error() string { return e.text }

// Unwrap returns the library's error.
func (e *jsonError) Unwrap() error { return e.cause }

// JSON returns the error of a text that is not JSON, or not what is wanted, in words for the author of the text. The
// library's own words name types of Go. A place is a byte, or a JSON pointer to a value. It keeps other errors.
func JSON(err error) error {
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		return &jsonError{misfit(wrong), err}
	}
	wrong, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &jsonError{"it ends too early", err}
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &jsonError{fmt.Sprintf("the member %q is there twice", wrong.JSONPointer.LastToken()), err}
	case ok && wrong.Err != nil && strings.HasSuffix(wrong.Err.Error(), "after top-level value"):
		return &jsonError{fmt.Sprintf("more text after the value, at byte %d", wrong.ByteOffset), err}
	case ok && wrong.Err != nil:
		return &jsonError{fmt.Sprintf("%v, at byte %d", wrong.Err, wrong.ByteOffset), err}
	}
	return err
}

// misfit says that a value is not what is wanted at its place.
func misfit(wrong *json.SemanticError) string {
	if errors.Is(wrong.Err, json.ErrUnknownName) {
		return at(wrong.JSONPointer.Parent()) + fmt.Sprintf("unknown member %q", wrong.JSONPointer.LastToken()) +
			meant(wrong.JSONPointer.LastToken(), wrong.GoType)
	}
	isNumber := errors.Is(wrong.Err, strconv.ErrRange) || errors.Is(wrong.Err, strconv.ErrSyntax)
	if wrong.Err != nil && !isNumber { // of a type that reads itself
		return at(wrong.JSONPointer) + JSON(wrong.Err).Error()
	}
	return at(wrong.JSONPointer) + "want " + wantedIn(wrong.GoType) + ", got " + gotOf(wrong)
}

// meant asks whether a member of the type was meant that is nearly of the name.
func meant(name string, t reflect.Type) string {
	var names []string
	if t != nil && t.Kind() == reflect.Struct {
		for field := range t.Fields() {
			tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			names = append(names, cmp.Or(tag, field.Name))
		}
	}
	if near, ok := Nearest(name, names); ok {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

func at(place jsontext.Pointer) string {
	if place == "" {
		return ""
	}
	return string(place) + ": "
}

// gotOf names the kind of a value, as JSON Schema does, or is the number itself.
func gotOf(wrong *json.SemanticError) string {
	switch kind := wrong.JSONKind; kind {
	case jsontext.KindBeginObject, jsontext.KindEndObject:
		return "object"
	case jsontext.KindBeginArray, jsontext.KindEndArray:
		return "array"
	case jsontext.KindTrue, jsontext.KindFalse:
		return "boolean"
	case jsontext.KindNumber:
		return cmp.Or(string(wrong.JSONValue), "number")
	default:
		return kind.String()
	}
}

// wantedIn says which JSON value a Go value is read from.
func wantedIn(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wantedIn(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number that is not below 0"
	default:
		return "an object"
	}
}
