package projecttests

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// sourceFolders are the packages whose types the templates name. A type is called as another package calls it, such as
// conformance.Result.
var sourceFolders = []string{"spec", "cases", "conformance", "conformance/report", "internal/suite/sourceclaims"}

// source is what those packages say of their types. It is read and not asked by reflection, since the sentence that
// describes a member is the comment beside it.
type source struct {
	types     map[string]typeSource
	constants map[string][]string // of types that are texts, the values that have a name, in their order
}

type typeSource struct {
	expression ast.Expr
	pkg        string // in which other names without a package are
}

func readSource(root string) (source, error) {
	s := source{map[string]typeSource{}, map[string][]string{}}
	for _, folder := range sourceFolders {
		paths, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil || len(paths) == 0 {
			return s, fmt.Errorf("no Go files in %s", filepath.Join(root, folder))
		}
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return s, err
			}
			if !strings.HasSuffix(path, "_test.go") {
				s.add(file)
			}
		}
	}
	return s, nil
}

func (s source) add(file *ast.File) {
	pkg := file.Name.Name
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return false
		case *ast.TypeSpec:
			s.types[pkg+"."+n.Name.Name] = typeSource{n.Type, pkg}
		case *ast.ValueSpec:
			typ, named := n.Type.(*ast.Ident)
			if literal, ok := first(n.Values).(*ast.BasicLit); ok && named && literal.Kind == token.STRING {
				text, _ := strconv.Unquote(literal.Value) // the parser has read it
				s.constants[pkg+"."+typ.Name] = append(s.constants[pkg+"."+typ.Name], text)
			}
		}
		return true
	})
}

func first(values []ast.Expr) ast.Expr {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}

// constantsOf returns the values of a type that have a name, such as those of conformance.Status.
func (s source) constantsOf(name string) ([]string, error) {
	if len(s.constants[name]) == 0 {
		return nil, fmt.Errorf("no constants of %s", name)
	}
	return s.constants[name], nil
}

// definition is the schema of a value, as far as Go types tell.
type definition struct {
	Description string `json:"description,omitempty"`
	Ref         string `json:"$ref,omitempty"`
	Type        any    `json:"type,omitempty"`
	Minimum     *int   `json:"minimum,omitempty"`

	Items      *definition           `json:"items,omitempty"`
	Values     *definition           `json:"additionalProperties,omitempty"`
	Required   []string              `json:"required,omitempty"`
	Properties map[string]definition `json:"properties,omitempty"`
}

// structs returns the definitions of struct types and of all structs that their members lead to.
func (s source) structs(names ...string) (map[string]definition, error) {
	all := map[string]definition{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if _, done := all[definitionOf(name)]; done {
			continue
		}
		w := structWriter{source: s, is: definition{Type: "object", Properties: map[string]definition{}}}
		if err := w.add(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[definitionOf(name)] = w.is
		names = append(names, w.leads...)
	}
	return all, nil
}

// definitionOf returns how a struct is called in a schema: suite for conformance.SuiteInfo.
func definitionOf(name string) string {
	_, name, _ = strings.Cut(name, ".")
	return strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(name, "Info"), "Line"))
}

// structWriter collects what a struct type is in JSON.
type structWriter struct {
	source source
	is     definition
	leads  []string // the structs that its members are of
}

// add adds the members of a struct; those of what is embedded in it too, as encoding/json does.
func (w *structWriter) add(name string) error {
	of := w.source.types[name]
	structure, ok := of.expression.(*ast.StructType)
	if !ok {
		return errors.New("no such struct")
	}
	for _, field := range structure.Fields.List {
		if len(field.Names) == 0 {
			if err := w.add(qualified(field.Type, of.pkg)); err != nil {
				return err
			}
			continue
		}
		if err := w.addField(field, of.pkg); err != nil {
			return err
		}
	}
	return nil
}

func (w *structWriter) addField(field *ast.Field, pkg string) error {
	schema, err := w.typeSchema(field.Type, pkg)
	if err != nil {
		return err
	}
	tag, _ := strconv.Unquote(field.Tag.Value) // the parser has read it
	name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	if options == "" {
		w.is.Required = append(w.is.Required, name)
		if schema.Type == "array" {
			schema.Type = []string{"array", "null"} // a nil list is written as null
		}
	}
	schema.Description = sentence(field.Names[0].Name, field.Doc.Text()+field.Comment.Text())
	w.is.Properties[name] = schema
	return nil
}

// qualified returns the name of a type as another package says it, or the empty text.
func qualified(e ast.Expr, pkg string) string {
	switch e := e.(type) {
	case *ast.Ident:
		return pkg + "." + e.Name
	case *ast.SelectorExpr:
		return e.X.(*ast.Ident).Name + "." + e.Sel.Name
	default:
		return ""
	}
}

// typeSchema says how a type is written. An int of a report counts something, so it is not below 0; what may be any
// number is an int64.
func (w *structWriter) typeSchema(e ast.Expr, pkg string) (definition, error) {
	switch e := e.(type) {
	case *ast.StarExpr:
		return w.typeSchema(e.X, pkg)
	case *ast.ArrayType:
		item, err := w.typeSchema(e.Elt, pkg)
		return definition{Type: "array", Items: &item}, err
	case *ast.MapType:
		value, err := w.typeSchema(e.Value, pkg)
		return definition{Type: "object", Values: &value}, err
	}
	name := qualified(e, pkg)
	switch name {
	case pkg + ".string":
		return definition{Type: "string"}, nil
	case pkg + ".bool":
		return definition{Type: "boolean"}, nil
	case pkg + ".int64":
		return definition{Type: "integer"}, nil
	case "spec.Value": // any JSON; what a report holds of it are configurations
		return definition{Type: "object"}, nil
	case pkg + ".int", "time.Duration":
		return definition{Type: "integer", Minimum: new(int)}, nil
	}
	named, known := w.source.types[name]
	if !known {
		return definition{}, fmt.Errorf("a type that the generator does not know: %q", name)
	}
	if _, isStruct := named.expression.(*ast.StructType); isStruct {
		w.leads = append(w.leads, name)
		return definition{Ref: "#/$defs/" + definitionOf(name)}, nil
	}
	return w.typeSchema(named.expression, named.pkg)
}

// sentence turns a comment into a sentence that does not name what it describes: "How many …" for "Total is how
// many …".
func sentence(name, comment string) string {
	text := strings.TrimPrefix(strings.Join(strings.Fields(comment), " "), name+" is ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
