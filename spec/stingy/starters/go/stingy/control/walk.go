package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// walk notes all edits, in preorder.
func (f *file) walk() {
	called, commed := map[ast.Node]bool{}, map[ast.Node]bool{}
	ast.Inspect(f.root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			f.call(n)
		case *ast.SelectorExpr:
			if !f.reads(n) && !called[n] {
				f.value(n)
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && !commed[n] {
				f.receives(n)
			}
		case *ast.SendStmt:
			if !commed[n] {
				f.sends(n)
			}
		case *ast.GoStmt:
			f.goes(n)
		case *ast.RangeStmt:
			f.ranges(n)
		case *ast.SelectStmt:
			f.selects(n, commed)
		case *ast.BlockStmt:
			f.statements(n.List)
		case *ast.CaseClause:
			f.statements(n.Body)
		case *ast.CommClause:
			f.statements(n.Body)
		}
		return true
	})
}

// goes has the function of a go statement wait for its turn. One without a value is taken under control later, at its
// first operation.
func (f *file) goes(n *ast.GoStmt) {
	fun := ast.Unparen(n.Call.Fun)
	if called, ok := fun.(*ast.Ident); ok {
		_, builtin := f.info.Uses[called].(*types.Builtin)
		if _, generic := f.info.Instances[called]; builtin || generic {
			return
		}
	}
	name := f.started(fun)
	f.insert(fun.Pos(), false, through+".Wrap("+f.place(n, name, "go")+", ")
	f.insert(fun.End(), true, ")")
}

// started is what a goroutine is called, by what it does.
func (f *file) started(fun ast.Expr) string {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.SelectorExpr:
		return fun.Sel.Name
	case *ast.Ident:
		return fun.Name
	}
	return f.function(fun)
}

// statements puts a point before each that touches a field.
func (f *file) statements(list []ast.Stmt) {
	for _, s := range list {
		if f.fields && f.touchesField(s) {
			f.insert(s.Pos(), false, through+".Field("+f.at(s, "field")+"); ")
		}
	}
}

// touchesField looks at what is evaluated before any block inside the statement.
func (f *file) touchesField(s ast.Stmt) (touches bool) {
	switch s.(type) {
	case *ast.BlockStmt, *ast.CommClause, *ast.CaseClause, *ast.SelectStmt, *ast.DeferStmt, *ast.LabeledStmt:
		return false
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			if chosen := f.info.Selections[n]; chosen != nil && chosen.Kind() == types.FieldVal {
				_, pointer := chosen.Recv().Underlying().(*types.Pointer)
				its := chosen.Type().String()
				touches = touches || pointer && !strings.Contains(its, "sync.") && !strings.Contains(its, "atomic.")
			}
		}
		return true
	})
	return touches
}
