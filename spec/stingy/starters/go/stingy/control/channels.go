package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

func (f *file) receives(n *ast.UnaryExpr) {
	name := "Recv"
	if _, both := f.info.TypeOf(n).(*types.Tuple); both {
		name = "Recv2"
	}
	at := f.at(n, "receive")
	f.replace(n.OpPos, n.X.Pos(), false, func() string { return through + "." + name + "(" + at + ", " })
	f.insert(n.End(), true, ")")
}

func (f *file) sends(n *ast.SendStmt) {
	f.insert(n.Pos(), false, through+".Send("+f.at(n, "send")+", ")
	f.replace(n.Chan.End(), n.Value.Pos(), true, func() string { return ")(" })
	f.insert(n.End(), true, ")")
}

func (f *file) ranges(n *ast.RangeStmt) {
	if _, ok := f.info.TypeOf(n.X).Underlying().(*types.Chan); !ok {
		return
	}
	at := f.at(n, "range")
	f.replace(n.For, n.Body.Lbrace+1, false, func() string {
		item, define := "_", ":="
		if n.Key != nil {
			item = f.source(n.Key)
		}
		head := "for stingyCh := (" + f.source(n.X) + "); ; { "
		if n.Tok == token.ASSIGN {
			head, define = head+"var stingyOK bool; ", "="
		}
		return head + item + ", stingyOK " + define + " " + through + ".Recv2(" + at + ", stingyCh); if !stingyOK { break }; "
	})
}

// selects makes a switch of a select, whose cases are values.
func (f *file) selects(n *ast.SelectStmt, commed map[ast.Node]bool) {
	at := f.at(n, "select")
	if len(n.Body.List) == 0 {
		f.replace(n.Pos(), n.End(), false, func() string { return through + ".Recv(" + at + ", (chan int)(nil))" })
		return
	}
	hasDefault := slices.ContainsFunc(n.Body.List, func(s ast.Stmt) bool { return s.(*ast.CommClause).Comm == nil })
	var cases []func() string
	for i, s := range n.Body.List {
		clause := s.(*ast.CommClause)
		if clause.Comm == nil {
			continue
		}
		label := fmt.Sprintf("case %d:", len(cases))
		if i == len(n.Body.List)-1 && !hasDefault {
			label = "default:" // a switch ends a function only if it has one
		}
		name := fmt.Sprintf("stingyC%d", len(cases))
		made, then := f.comm(clause.Comm, name, commed)
		cases = append(cases, made)
		f.replace(clause.Case, clause.Colon+1, false, func() string { return label + then() })
	}
	f.replace(n.Pos(), n.Body.Lbrace+1, false, func() string {
		if len(cases) == 0 {
			return fmt.Sprintf("switch %s.Select(%s, %v) {", through, at, hasDefault)
		}
		var names, values []string
		for i, made := range cases {
			names, values = append(names, fmt.Sprintf("stingyC%d", i)), append(values, made())
		}
		all := strings.Join(names, ", ")
		return fmt.Sprintf("switch %s := %s; %s.Select(%s, %v, %s) {", all, strings.Join(values, ", "), through, at, hasDefault, all)
	})
}

// comm is the value of a case, and what is done first when it has been taken.
func (f *file) comm(s ast.Stmt, name string, commed map[ast.Node]bool) (made, then func() string) {
	nothing := func() string { return "" }
	receiving := func(e ast.Expr) func() string {
		from := ast.Unparen(e).(*ast.UnaryExpr)
		commed[from] = true
		return func() string { return through + ".RecvC(" + f.source(from.X) + ")" }
	}
	switch s := s.(type) {
	case *ast.SendStmt:
		commed[s] = true
		return func() string {
			return through + ".SendC(" + f.source(s.Chan) + ")(" + f.source(s.Value) + ")"
		}, nothing
	case *ast.AssignStmt:
		return receiving(s.Rhs[0]), func() (then string) {
			for i, had := range []string{".V", ".OK"}[:len(s.Lhs)] {
				tok := s.Tok.String()
				if id, ok := s.Lhs[i].(*ast.Ident); ok && id.Name == "_" {
					tok = "="
				}
				then += " " + f.source(s.Lhs[i]) + " " + tok + " " + name + had + ";"
			}
			return then
		}
	}
	return receiving(s.(*ast.ExprStmt).X), nothing
}
