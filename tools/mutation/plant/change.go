package plant

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// statement notes the mutants of a statement: it is left out. Only what stands in a block can be; declarations cannot.
func (f *finder) statement(n ast.Stmt) {
	if !f.inBlock(n) {
		return
	}
	switch n := n.(type) {
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && f.code(call.Fun) != "panic" {
			f.note(n, "", "")
		}
	case *ast.AssignStmt:
		f.assignment(n)
	case *ast.IncDecStmt, *ast.BranchStmt:
		f.note(n, "", "")
	case *ast.ReturnStmt:
		if f.isEarly(n) {
			f.note(n, "", "")
		}
	}
}

// opposites are the assignments that undo one another.
var opposites = map[token.Token]string{token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+="}

func (f *finder) assignment(n *ast.AssignStmt) {
	if n.Tok == token.DEFINE {
		return
	}
	f.note(n, "", "")
	if operator, ok := opposites[n.Tok]; ok && isInteger(f.info.TypeOf(n.Lhs[0])) {
		f.note(n, "", f.code(n.Lhs[0])+" "+operator+" "+f.code(n.Rhs[0]))
	}
}

func (f *finder) inBlock(n ast.Stmt) bool {
	switch parent := f.parent().(type) {
	case *ast.BlockStmt:
		return true
	case *ast.CaseClause:
		for _, s := range parent.Body {
			if s == n {
				return true
			}
		}
	}
	return false
}

// isEarly reports whether a return stands in an if without else: without it, the function goes on.
func (f *finder) isEarly(n *ast.ReturnStmt) bool {
	if len(f.stack) < 2 {
		return false
	}
	condition, ok := f.stack[len(f.stack)-2].(*ast.IfStmt)
	return ok && condition.Else == nil && condition.Body == f.parent()
}

// expression notes the mutants of an expression.
func (f *finder) expression(n ast.Expr) {
	if f.mustBeConstant(n) {
		return
	}
	if f.isCondition(n) {
		f.condition(n)
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB && !f.isIdle(n) {
			f.replace(n, f.code(n.X))
		}
	case *ast.BasicLit:
		f.constant(n)
	case *ast.Ident:
		f.name(n)
	case *ast.SliceExpr:
		f.bounds(n)
	case *ast.CallExpr:
		f.call(n)
	case *ast.CompositeLit:
		f.members(n)
	}
}

// mustBeConstant reports whether the language wants a constant here, so that nothing can be decided at run time.
func (f *finder) mustBeConstant(n ast.Expr) bool {
	pair, ok := f.parent().(*ast.KeyValueExpr)
	if !ok || pair.Key != n || len(f.stack) < 2 {
		return false
	}
	literal, ok := f.stack[len(f.stack)-2].(*ast.CompositeLit)
	if !ok {
		return false
	}
	_, isMap := f.info.TypeOf(literal).Underlying().(*types.Map)
	return !isMap
}

// isCondition reports whether a branch depends on the expression.
func (f *finder) isCondition(n ast.Expr) bool {
	switch parent := f.parent().(type) {
	case *ast.IfStmt:
		return parent.Cond == n
	case *ast.CaseClause:
		return len(f.stack) > 2 && isTagless(f.stack[len(f.stack)-3]) && slices.Contains(parent.List, n)
	}
	return false
}

func isTagless(n ast.Node) bool {
	s, ok := n.(*ast.SwitchStmt)
	return ok && s.Tag == nil
}

// condition negates a condition that has no operator of its own to be changed.
func (f *finder) condition(n ast.Expr) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
	case *ast.UnaryExpr:
	default:
		f.replace(n, "!("+f.code(n)+")")
	}
}

// operators are what each operator is changed to: comparisons to one that differs where both sides are equal, and to
// the opposite.
var operators = map[token.Token][]string{
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.EQL: {"!="}, token.NEQ: {"=="},
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"+"}, token.QUO: {"*"}, token.REM: {"/"},
	token.AND: {"|"}, token.OR: {"&"}, token.AND_NOT: {"&"}, token.SHL: {">>"}, token.SHR: {"<<"},
	token.LAND: {"||"}, token.LOR: {"&&"},
}

func (f *finder) binary(n *ast.BinaryExpr) {
	if f.info.Types[n].Value != nil {
		f.constant(n)
		return
	}
	left, right := f.code(n.X), f.code(n.Y)
	if n.Op == token.LAND || n.Op == token.LOR {
		f.replace(n, left)
		f.replace(n, right)
	}
	if isString(f.info.TypeOf(n)) {
		f.replace(n, left)
		return
	}
	for _, operator := range operators[n.Op] {
		f.replace(n, "("+left+") "+operator+" ("+right+")")
	}
}

// constant changes a number by one, and a text at its end.
func (f *finder) constant(n ast.Expr) {
	value := f.info.Types[n].Value
	if value == nil || clauseID.MatchString(f.code(n)) || f.isIdle(n) {
		return
	}
	code := f.code(n)
	if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.CHAR {
		return
	}
	switch t := f.info.TypeOf(n); {
	case isString(t):
		f.text(n, constant.StringVal(value))
	case isInteger(t):
		f.number(n, constant.Sign(value) > 0)
	case isNumber(t) && constant.Sign(value) != 0:
		f.replace(n, "("+code+"*1.5)")
	}
}

// number changes an integer by one. In a comparison, the one that another operator gives already is left out.
func (f *finder) number(n ast.Expr, positive bool) {
	more, less := true, positive
	if comparison, ok := f.parent().(*ast.BinaryExpr); ok && comparison.Y == n {
		switch comparison.Op {
		case token.LSS, token.GEQ:
			more = false
		case token.GTR, token.LEQ, token.EQL, token.NEQ:
			less = false
		}
	}
	if more {
		f.replace(n, "("+f.code(n)+"+1)")
	}
	if less {
		f.replace(n, "("+f.code(n)+"-1)")
	}
}

// isIdle reports whether the expression is a result beside false or an error, which nobody looks at.
func (f *finder) isIdle(n ast.Expr) bool {
	statement, ok := f.parent().(*ast.ReturnStmt)
	if !ok || len(statement.Results) < 2 || statement.Results[len(statement.Results)-1] == n {
		return false
	}
	last := statement.Results[len(statement.Results)-1]
	return f.code(last) == "false" || f.code(last) == "-1" || f.info.TypeOf(last).String() == "error"
}

// sets are the functions for which a text is a set of characters.
var sets = []string{
	"strings.ContainsAny", "strings.ContainsRune", "strings.IndexAny", "strings.TrimLeft", "strings.TrimRight",
}

// text changes a text. Where it is a set of characters, each of them is left out once.
func (f *finder) text(n ast.Expr, value string) {
	if index, ok := f.parent().(*ast.IndexExpr); ok && index.X == n {
		return // what is appended is never reached
	}
	if call, ok := f.parent().(*ast.CallExpr); ok && slices.Contains(sets, f.code(call.Fun)) {
		for i, r := range value {
			f.replace(n, strconv.QuoteToASCII(value[:i]+value[i+len(string(r)):]))
		}
		return
	}
	f.replace(n, "("+f.code(n)+`+"~")`)
	if call, ok := f.parent().(*ast.CallExpr); ok {
		switch f.code(call.Fun) {
		case ofJavaScript:
			f.pattern(n, value, true)
		case ofGo:
			f.pattern(n, value, false)
		}
	}
}

// name changes what a name stands for: a truth, or a constant of the package.
func (f *finder) name(n *ast.Ident) {
	if _, isSelected := f.parent().(*ast.SelectorExpr); isSelected {
		return
	}
	object, isConstant := f.info.Uses[n].(*types.Const)
	switch {
	case !isConstant:
	case object.Pkg() == nil && n.Name == "true":
		f.replace(n, "false")
	case object.Pkg() == nil && n.Name == "false":
		f.replace(n, "true")
	case object.Pkg() == f.pkg:
		f.constant(n)
	}
}

// bounds leaves out one bound of a slice.
func (f *finder) bounds(n *ast.SliceExpr) {
	low, high := "", ""
	if n.Low != nil {
		low = f.code(n.Low)
	}
	if n.High != nil {
		high = f.code(n.High)
	}
	if low != "" {
		f.replace(n, f.code(n.X)+"[:"+high+"]")
	}
	if high != "" {
		f.replace(n, f.code(n.X)+"["+low+":]")
	}
}

// cleaners are the functions that return their first argument without what is not to count.
var cleaners = []string{
	"strings.ToLower", "jstext.Lower", "jstext.HyphenateSpace", "jstext.Prefix", "strings.TrimFunc", "strings.Trim",
	"strings.TrimRight", "Trimmed",
}

// call leaves out a cleaner, compares in one case, swaps the smaller with the larger of two numbers, and swaps
// neighbouring arguments of one type.
func (f *finder) call(n *ast.CallExpr) {
	if from, known := silent[f.code(n.Fun)]; known && from == 0 {
		return
	}
	if slices.Contains(cleaners, f.code(n.Fun)) {
		f.replace(n, f.code(n.Args[0]))
		return
	}
	switch f.code(n.Fun) {
	case "strings.EqualFold":
		f.replace(n, f.code(n.Args[0])+" == "+f.code(n.Args[1]))
		return
	case "min":
		f.replace(n, "max"+"("+f.listed(n.Args)+")")
		return
	case "max":
		f.replace(n, "min"+"("+f.listed(n.Args)+")")
		return
	case "bytes.Equal", "strings.ContainsAny", "slices.EqualFunc":
		return // means the same either way round
	}
	for i := range f.ordered(n) - 1 {
		a, b := n.Args[i], n.Args[i+1]
		if f.code(a) == f.code(b) || !types.Identical(f.info.TypeOf(a), f.info.TypeOf(b)) || n.Ellipsis.IsValid() {
			continue
		}
		swapped := slices.Clone(n.Args)
		swapped[i], swapped[i+1] = b, a
		f.swap(n, f.code(n.Fun)+"("+f.listed(swapped)+")")
	}
}

// ordered returns how many arguments of a call have parameters of their own; those of a list are like one another.
func (f *finder) ordered(n *ast.CallExpr) int {
	signature, ok := f.info.TypeOf(n.Fun).(*types.Signature)
	switch {
	case !ok:
		return 0
	case signature.Variadic():
		return min(len(n.Args), signature.Params().Len()-1)
	default:
		return len(n.Args)
	}
}

// swap notes a call with other arguments; one whose value nobody takes is a statement.
func (f *finder) swap(n *ast.CallExpr, text string) {
	if parent, ok := f.parent().(*ast.ExprStmt); ok {
		f.note(parent, "", text)
		return
	}
	f.replace(n, text)
}

// listed returns expressions as they stand, with commas between.
func (f *finder) listed(list []ast.Expr) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = f.code(n)
	}
	return strings.Join(texts, ", ")
}

// members leaves out one member of a struct.
func (f *finder) members(n *ast.CompositeLit) {
	if _, isStruct := f.info.TypeOf(n).Underlying().(*types.Struct); !isStruct || n.Type == nil {
		return
	}
	var whole ast.Expr = n
	before := ""
	if address, ok := f.parent().(*ast.UnaryExpr); ok && address.Op == token.AND {
		whole, before = address, "&"
	}
	for i, element := range n.Elts {
		if _, named := element.(*ast.KeyValueExpr); named {
			rest := slices.Delete(slices.Clone(n.Elts), i, i+1)
			f.leaveOut(whole, before+f.code(n.Type)+"{"+f.listed(rest)+"}", element)
		}
	}
}

// leaveOut notes a struct without one of its members.
func (f *finder) leaveOut(n ast.Expr, text string, element ast.Expr) {
	typ, ok := f.spell(f.info.TypeOf(n))
	if !ok {
		return
	}
	f.note(n, typ, text)
	s := f.sites[span{f.offset(n.Pos()), f.offset(n.End())}]
	m := &s.changes[len(s.changes)-1].mutant
	m.Line = f.fset.Position(element.Pos()).Line
	m.Clauses = f.clauses(m.Line)
	m.Change = oneLine(f.code(element)) + " → " + dropped
}

func isString(t types.Type) bool  { return hasInfo(t, types.IsString) }
func isInteger(t types.Type) bool { return hasInfo(t, types.IsInteger) }
func isNumber(t types.Type) bool  { return hasInfo(t, types.IsNumeric) }

func hasInfo(t types.Type, info types.BasicInfo) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&info != 0
}
