package mutation

import (
	"go/ast"
	"go/token"
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
