// Package template fills in templates as text/template and html/template do, with fewer actions: if, with, range,
// define, template, variables, fields and functions. It calls no methods of the data. A program that may call a method
// by its name has to keep every method of every type: with text/template, the tool would be half as large again.
package template

import (
	"fmt"
	"html"
	"io"
	"reflect"
	"text/template/parse"
)

// Functions are what a template may call, by name. A function returns one result.
type Functions map[string]any

// HTML is a text that [Template.ExecuteHTML] writes as it is.
type HTML string

// Template is a template that was parsed.
type Template struct {
	name      string
	trees     map[string]*parse.Tree
	functions Functions
}

// Parse reads a template in the syntax of text/template.
func Parse(name, text string, functions Functions) (*Template, error) {
	trees, err := parse.Parse(name, text, "", "", functions)
	if err != nil {
		return nil, fmt.Errorf("parse the template: %w", err)
	}
	return &Template{name, trees, functions}, nil
}

// Must returns a template that is part of the program. It panics if there is an error.
func Must(t *Template, err error) *Template {
	if err != nil {
		panic(err)
	}
	return t
}

// Execute writes the template, filled in with the data.
func (t *Template) Execute(w io.Writer, data any) error {
	return t.execute(w, data, func(text string) string { return text })
}

// ExecuteHTML is Execute for HTML: what the data bring is escaped, as it must be between tags and in quoted attributes.
// Actions must stand nowhere else.
func (t *Template) ExecuteHTML(w io.Writer, data any) error {
	return t.execute(w, data, html.EscapeString)
}

func (t *Template) execute(w io.Writer, data any, escape func(string) string) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *problem:
			err = fmt.Errorf("fill in %s: %w", t.name, p.cause)
		default:
			panic(p)
		}
	}()
	e := execution{template: t, out: w, escape: escape}
	e.run(t.name, reflect.ValueOf(data))
	return nil
}

// problem ends an execution.
type problem struct{ cause error }

func fail(format string, args ...any) { panic(&problem{fmt.Errorf(format, args...)}) }

// execution is one execution of a template.
type execution struct {
	template  *Template
	out       io.Writer
	escape    func(string) string
	variables []variable // the latest last
}

type variable struct {
	name  string
	value reflect.Value
}

// run executes the template with the name. Its variable $ is the data.
func (e *execution) run(name string, data reflect.Value) {
	tree := e.template.trees[name]
	if tree == nil {
		fail("there is no template %q", name)
	}
	inner := execution{template: e.template, out: e.out, escape: e.escape, variables: []variable{{"$", data}}}
	inner.node(data, tree.Root)
}

// block executes a list of nodes, whose variables end with it.
func (e *execution) block(dot reflect.Value, list *parse.ListNode) {
	if list == nil {
		return
	}
	outer := len(e.variables)
	for _, n := range list.Nodes {
		e.node(dot, n)
	}
	e.variables = e.variables[:outer]
}

func (e *execution) node(dot reflect.Value, n parse.Node) {
	switch n := n.(type) {
	case *parse.ListNode:
		e.block(dot, n)
	case *parse.TextNode:
		e.write(string(n.Text))
	case *parse.ActionNode:
		if v := e.pipe(dot, n.Pipe); len(n.Pipe.Decl) == 0 {
			e.print(v)
		}
	case *parse.IfNode:
		e.either(dot, n.BranchNode, false)
	case *parse.WithNode:
		e.either(dot, n.BranchNode, true)
	case *parse.RangeNode:
		e.each(dot, n)
	case *parse.TemplateNode:
		if n.Pipe == nil {
			fail("%s: want its data", n)
		}
		e.run(n.Name, e.pipe(dot, n.Pipe))
	default:
		fail("%s: no such action here", n)
	}
}

// print writes a value, escaped.
func (e *execution) print(v reflect.Value) {
	if !v.IsValid() || v.Kind() == reflect.Interface && v.IsNil() {
		fail("there is nothing to write")
	}
	switch v := v.Interface().(type) {
	case HTML:
		e.write(string(v))
	default:
		e.write(e.escape(fmt.Sprint(v)))
	}
}

func (e *execution) write(text string) {
	if _, err := io.WriteString(e.out, text); err != nil {
		panic(&problem{err})
	}
}

// either executes the first list of a branch if its value is not empty, else the other. With a with, dot is the value.
func (e *execution) either(dot reflect.Value, n parse.BranchNode, with bool) {
	outer := len(e.variables)
	v := e.pipe(dot, n.Pipe)
	switch {
	case empty(v):
		e.block(dot, n.ElseList)
	case with:
		e.block(v, n.List)
	default:
		e.block(dot, n.List)
	}
	e.variables = e.variables[:outer]
}

// each executes the list of a range for each item of a list.
func (e *execution) each(dot reflect.Value, n *parse.RangeNode) {
	outer, list := len(e.variables), indirect(e.value(dot, n.Pipe))
	if list.Kind() != reflect.Slice {
		fail("%s: want a list, got %s", n.Pipe, list.Type())
	}
	if list.Len() == 0 {
		e.block(dot, n.ElseList)
	}
	for i := range list.Len() {
		item := list.Index(i)
		values := []reflect.Value{reflect.ValueOf(i), item}
		for k, name := range n.Pipe.Decl { // the last one is the item
			e.set(name, values[k+2-len(n.Pipe.Decl)])
		}
		e.block(item, n.List)
		e.variables = e.variables[:outer]
	}
}

func (e *execution) set(name *parse.VariableNode, v reflect.Value) {
	e.variables = append(e.variables, variable{name.Ident[0], v})
}

// pipe returns the value of a pipeline, and gives it to the pipeline's variable.
func (e *execution) pipe(dot reflect.Value, p *parse.PipeNode) reflect.Value {
	v := e.value(dot, p)
	if p.IsAssign {
		fail("%s: no variable is set twice", p)
	}
	for _, name := range p.Decl {
		e.set(name, v)
	}
	return v
}

// value returns the value of the only command of a pipeline: the value of its operand, or the result of its function.
func (e *execution) value(dot reflect.Value, p *parse.PipeNode) reflect.Value {
	if len(p.Cmds) != 1 {
		fail("%s: want one command", p)
	}
	call := p.Cmds[0]
	name, isCall := call.Args[0].(*parse.IdentifierNode)
	if !isCall && len(call.Args) == 1 {
		return e.operand(dot, call.Args[0])
	}
	if !isCall {
		fail("%s: only functions take arguments", call)
	}
	function := reflect.ValueOf(e.template.functions[name.Ident])
	in := make([]reflect.Value, len(call.Args)-1)
	for i := range in {
		in[i] = e.operand(dot, call.Args[i+1])
	}
	check(call, function.Type(), in)
	return function.Call(in)[0]
}

// check refuses arguments that a function does not take.
func check(call parse.Node, function reflect.Type, in []reflect.Value) {
	if function.NumIn() != len(in) {
		fail("%s: want %d arguments", call, function.NumIn())
	}
	for i, v := range in {
		if !v.IsValid() || !v.Type().AssignableTo(function.In(i)) {
			fail("%s: argument %d is no %s", call, i+1, function.In(i))
		}
	}
}

func (e *execution) operand(dot reflect.Value, n parse.Node) reflect.Value {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.StringNode:
		return reflect.ValueOf(n.Text)
	case *parse.FieldNode:
		return fields(dot, n.Ident)
	case *parse.VariableNode:
		return fields(e.variable(n.Ident[0]), n.Ident[1:])
	case *parse.PipeNode:
		return e.pipe(dot, n)
	default:
		fail("%s: no such operand here", n)
		panic("not reached")
	}
}

// variable returns the latest variable with the name. The parser refuses a name that there is not.
func (e *execution) variable(name string) reflect.Value {
	for i := len(e.variables) - 1; ; i-- {
		if e.variables[i].name == name {
			return e.variables[i].value
		}
	}
}

// fields returns a field of a field of … a struct.
func fields(v reflect.Value, names []string) reflect.Value {
	for _, name := range names {
		v = indirect(v)
		if v.Kind() != reflect.Struct {
			fail(".%s: want a struct, got %s", name, v.Kind())
		}
		field := v.FieldByName(name)
		if !field.IsValid() {
			fail("%s has no field %s", v.Type(), name)
		}
		v = field
	}
	return v
}

// indirect returns what a pointer points to.
func indirect(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

// empty reports whether a value is false, 0, nil, or has no content.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}
