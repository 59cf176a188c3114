package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"stingy.invalid/driver/sched"
)

// file is one source file with the edits that are to be made in it. They are made in its text, and none adds a line, so
// whatever tells of a line tells of the candidate's own.
type file struct {
	*rewriting
	name  string
	text  string
	root  *ast.File
	base  int // what a token.Pos has more than an offset
	edits []edit

	imported map[string]bool // functions that are not called any more, without which nothing might need their package
}

type edit struct {
	lo, hi int
	closes bool // it belongs to what is before it
	text   func() string
}

func (f *file) replace(lo, hi token.Pos, closes bool, text func() string) {
	f.edits = append(f.edits, edit{int(lo) - f.base, int(hi) - f.base, closes, text})
}

func (f *file) insert(at token.Pos, closes bool, text string) {
	f.replace(at, at, closes, func() string { return text })
}

// render gives a part of the text with its edits; of two that overlap only the outer one, which renders the rest itself.
func (f *file) render(lo, hi int) string {
	var b strings.Builder
	at := lo
	for _, e := range inTheirOrder(f.inside(lo, hi)) {
		if e.lo < at {
			continue
		}
		b.WriteString(f.text[at:e.lo] + e.text())
		at = e.hi
	}
	return b.String() + f.text[at:hi]
}

func (f *file) inside(lo, hi int) (inside []edit) {
	for _, e := range f.edits { // which are in preorder
		opens := e.lo == e.hi && e.lo == hi && !e.closes
		closes := e.hi == lo && e.closes
		if e.lo >= lo && e.hi <= hi && !opens && !closes {
			inside = append(inside, e)
		}
	}
	return inside
}

// inTheirOrder has at each place those that close first, the inner one before the outer, and then those that open.
func inTheirOrder(edits []edit) (ordered []edit) {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.lo - b.lo })
	for len(edits) > 0 {
		end := 1
		for end < len(edits) && edits[end].lo == edits[0].lo {
			end++
		}
		var closers, openers []edit
		for _, e := range edits[:end] {
			if e.closes {
				closers = append(closers, e)
			} else {
				openers = append(openers, e)
			}
		}
		slices.Reverse(closers)
		ordered, edits = slices.Concat(ordered, closers, openers), edits[end:]
	}
	return ordered
}

func (f *file) source(n ast.Node) string { return f.render(int(n.Pos())-f.base, int(n.End())-f.base) }

// at is the place of an operation, as an expression.
func (f *file) at(n ast.Node, op string) string { return f.place(n, f.function(n), op) }

func (f *file) place(n ast.Node, function, op string) string {
	f.points++
	p := f.fset.Position(n.Pos())
	lines := strings.SplitN(f.text[int(n.Pos())-f.base-(p.Column-1):], "\n", 2)
	told := []string{fmt.Sprintf("%s:%d", p.Filename, p.Line), function, op, strings.TrimSpace(lines[0])}
	return fmt.Sprintf("%q", strings.Join(told, sched.Between))
}

// function is the name of that which a node stands in.
func (f *file) function(n ast.Node) string {
	for _, decl := range f.root.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Pos() <= n.Pos() && n.End() <= fn.End() {
			return fn.Name.Name
		}
	}
	return "init"
}

func (f *file) refuse(n ast.Node, why string) {
	f.uncontrolled = append(f.uncontrolled, fmt.Sprintf("%s/%s: %s", f.path, f.fset.Position(n.Pos()), why))
}
