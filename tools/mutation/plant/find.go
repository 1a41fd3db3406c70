package plant

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// site is a piece of source that mutants replace: an expression or a whole statement.
type site struct {
	from, to int    // offsets in the file
	typ      string // of an expression, as the file spells it; empty for a statement
	changes  []change
}

// change is one replacement of a site.
type change struct {
	text   string // instead of the site; empty to leave a statement out
	mutant Mutant
}

// finder collects the sites of one file.
type finder struct {
	*sources
	file  *file
	stack []ast.Node // from the file down to the parent of the node that is looked at
	lines []string
	sites map[span]*site
	order []span
}

type span struct{ from, to int }

// find returns the sites of a file, outer ones before those inside.
func find(s *sources, f *file) []site {
	finder := &finder{sources: s, file: f, sites: map[span]*site{}, lines: strings.Split(string(f.text), "\n")}
	ast.PreorderStack(f.tree, nil, func(n ast.Node, stack []ast.Node) bool {
		finder.stack = stack
		return finder.look(n)
	})
	var sites []site
	for _, at := range finder.order {
		sites = append(sites, *finder.sites[at])
	}
	return sites
}

// look notes the mutants of a node and reports whether to go on below it.
func (f *finder) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR // constants are mutated where they are used
	case *ast.ArrayType, *ast.FuncType, *ast.StructType, *ast.InterfaceType, *ast.ImportSpec:
		return false
	case ast.Stmt:
		f.statement(n)
	case ast.Expr:
		if f.isSilent(n) {
			return false
		}
		f.expression(n)
		return !f.isConstantSum(n)
	}
	return true
}

// isConstantSum reports whether the expression is a constant made of others, which is changed as a whole.
func (f *finder) isConstantSum(n ast.Expr) bool {
	switch n.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
		return f.info.Types[n].Value != nil
	}
	return false
}

// silent are the functions whose arguments, from that position on, make no difference that a case can show: the message
// of an error, the capacity of a slice.
var silent = map[string]int{
	"fmt.Errorf": 0, "errors.New": 0, "make": 2, "spec.BadParams": 0, "spec.BadState": 0,
	"spec.BadConfig": 1, "spec.BadEvent": 1,
	"wrong": 0, "at.legal": 1, "onlyIf": 2, "readCalls": 3, // of composed: places and reasons, which the message has
}

// isSilent reports whether the expression is an argument that makes no difference.
func (f *finder) isSilent(n ast.Expr) bool {
	call, ok := f.parent().(*ast.CallExpr)
	if !ok {
		return false
	}
	from, known := silent[f.code(call.Fun)]
	for i, arg := range call.Args {
		if known && arg == n {
			return i >= from
		}
	}
	return false
}

func (f *finder) parent() ast.Node {
	if len(f.stack) == 0 {
		return nil
	}
	return f.stack[len(f.stack)-1]
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) code(n ast.Node) string {
	return string(f.file.text[f.offset(n.Pos()):f.offset(n.End())])
}

// replace notes that a mutant has text in place of an expression.
func (f *finder) replace(n ast.Expr, text string) {
	typ, ok := f.spell(f.info.TypeOf(n))
	if !ok {
		return
	}
	f.note(n, typ, text)
}

// note notes a mutant at a node.
func (f *finder) note(n ast.Node, typ, text string) {
	at := span{f.offset(n.Pos()), f.offset(n.End())}
	s := f.sites[at]
	if s == nil {
		s = &site{from: at.from, to: at.to, typ: typ}
		f.sites[at] = s
		f.order = append(f.order, at)
	}
	line := f.fset.Position(n.Pos()).Line
	s.changes = append(s.changes, change{text, Mutant{
		Line: line, Function: f.function(), Change: f.describe(n, text), Clauses: f.clauses(line),
	}})
}

// describe says what changes. A name or a number says little alone, so its surroundings are shown where they are short.
func (f *finder) describe(n ast.Node, text string) string {
	was, is := f.code(n), text
	if isSmall(n) {
		if around := f.parent(); around != nil && around.End()-around.Pos() <= maxText {
			whole, at := f.code(around), f.offset(n.Pos())-f.offset(around.Pos())
			is = whole[:at] + text + whole[at+len(was):]
			was = whole
		}
	}
	if text == "" {
		is = dropped
	}
	return oneLine(was) + " → " + oneLine(is)
}

func isSmall(n ast.Node) bool {
	switch n.(type) {
	case *ast.BasicLit, *ast.Ident, *ast.UnaryExpr:
		return true
	default:
		return false
	}
}

// function returns the name of the declaration that the node stands in.
func (f *finder) function() string {
	for _, n := range f.stack {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return functionName(n)
		case *ast.ValueSpec:
			return n.Names[0].Name
		}
	}
	return ""
}

func functionName(n *ast.FuncDecl) string {
	if n.Recv == nil {
		return n.Name.Name
	}
	receiver := types.ExprString(n.Recv.List[0].Type)
	receiver, _, _ = strings.Cut(strings.TrimPrefix(receiver, "*"), "[")
	return receiver + "." + n.Name.Name
}

var clauseID = regexp.MustCompile(`\b[A-Z]{2}-[0-9]+\b`)

// clauses returns the clauses that the code at a line carries out: those that the line names, else those of the nearest
// line above it in its function that names any; and those that the heads of what it stands in name: statements, and the
// function with its comment.
func (f *finder) clauses(line int) []string {
	var ids []string
	first, head := f.declaration()
	for l := line; l >= first && ids == nil; l-- {
		ids = clauseID.FindAllString(f.lines[l-1], -1)
	}
	for l := first; l < head; l++ { // the comment
		ids = append(ids, clauseID.FindAllString(f.lines[l-1], -1)...)
	}
	for _, n := range f.stack {
		switch n.(type) {
		case *ast.FuncDecl, *ast.SwitchStmt, *ast.CaseClause, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			ids = append(ids, clauseID.FindAllString(f.lines[f.fset.Position(n.Pos()).Line-1], -1)...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// declaration returns the lines at which the declaration that the node stands in begins: with its comment, and without.
func (f *finder) declaration() (first, head int) {
	for _, n := range f.stack {
		var doc *ast.CommentGroup
		switch n := n.(type) {
		case *ast.FuncDecl:
			doc = n.Doc
		case *ast.GenDecl:
			doc = n.Doc
		default:
			continue
		}
		head = f.fset.Position(n.Pos()).Line
		if doc == nil {
			return head, head
		}
		return f.fset.Position(doc.Pos()).Line, head
	}
	return 1, 1
}

// spell returns a type as the file can write it.
func (f *finder) spell(t types.Type) (string, bool) {
	if t == nil || t == types.Typ[types.UntypedNil] || t == types.Typ[types.Invalid] {
		return "", false
	}
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() == 0 {
		return "", false
	}
	known := true
	text := types.TypeString(types.Default(t), func(p *types.Package) string {
		if p == f.pkg {
			return ""
		}
		name, ok := f.imported(p)
		known = known && ok
		return name
	})
	return text, known
}

// imported returns the name by which the file imports a package.
func (f *finder) imported(p *types.Package) (string, bool) {
	for _, spec := range f.file.tree.Imports {
		if strings.Trim(spec.Path.Value, `"`) == p.Path() {
			if spec.Name != nil {
				return spec.Name.Name, true
			}
			return p.Name(), true
		}
	}
	return "", false
}
