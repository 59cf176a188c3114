// Mutants of Go files, by general operators on the syntax tree: one small change each. All of them are in one program: each is a
// function beside the sound one, which hands over to it where STINGY_MUTANT has its number.
//
//	go run mutate.go [-without N,…] OUT FILE…
//
// writes each file to OUT, beside them one that reads the number, and mutants.json, which says what was changed where, and in which
// lines of OUT's file the mutant stands.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Edit is a stretch of the source, and what stands there instead.
type Edit struct {
	from, to int
	text     string
}

// Mutant is a file with one thing changed.
type Mutant struct {
	ID       int    `json:"id"`
	File     string `json:"file"`
	Function string `json:"function"`
	Line     int    `json:"line"`
	Operator string `json:"operator"`
	Was      string `json:"was"`
	Now      string `json:"now"`
	From     int    `json:"from"`
	To       int    `json:"to"`
	edits    []Edit
	function *ast.FuncDecl
}

type mutator struct {
	files    *token.FileSet
	name     string
	source   []byte
	function *ast.FuncDecl
	found    []Mutant
}

func main() {
	without := flag.String("without", "", "mutants that do not compile")
	flag.Parse()
	out, all := flag.Arg(0), []Mutant{}
	left := strings.Split(*without, ",")
	for _, name := range flag.Args()[1:] {
		source, err := os.ReadFile(name)
		check(err)
		m := &mutator{files: token.NewFileSet(), name: name, source: source}
		tree, err := parser.ParseFile(m.files, name, source, parser.ParseComments)
		check(err)
		for _, declared := range tree.Decls {
			if function, ok := declared.(*ast.FuncDecl); ok && function.Body != nil {
				m.function = function
				ast.Inspect(function.Body, m.visit)
			}
		}
		for n := range m.found {
			m.found[n].ID = len(all) + n
		}
		check(os.WriteFile(filepath.Join(out, filepath.Base(name)), m.program(left), 0o644))
		check(os.WriteFile(filepath.Join(out, "mutant.go"), fmt.Appendf(nil, chosen, tree.Name.Name), 0o644))
		all = append(all, m.found...)
	}
	index, err := json.MarshalIndent(all, "", " ")
	check(err)
	check(os.WriteFile(filepath.Join(out, "mutants.json"), index, 0o644))
	fmt.Println(len(all), "mutants")
}

const chosen = `package %s

import (
	"os"
	"strconv"
)

var chosenMutant, _ = strconv.Atoi(os.Getenv("STINGY_MUTANT"))
`

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// program is the file with all mutants but those that are left out. What is sound stands in the lines where it stood.
func (m *mutator) program(left []string) []byte {
	var sound []Edit
	cases := map[*ast.FuncDecl]string{}
	var mutants []byte
	line := bytes.Count(m.source, []byte("\n")) + 2
	for n := range m.found {
		it := &m.found[n]
		if slices.Contains(left, strconv.Itoa(it.ID)) {
			continue
		}
		text := m.mutant(it)
		it.From, it.To = line, line+bytes.Count(text, []byte("\n"))
		line = it.To + 1
		mutants = append(append(mutants, text...), '\n')
		cases[it.function] += fmt.Sprintf(" case %d: %s;", it.ID+1, handOver(it.function, it.ID))
	}
	for _, function := range slices.SortedFunc(maps.Keys(cases), func(a, b *ast.FuncDecl) int { return int(a.Pos() - b.Pos()) }) {
		at := m.offset(function.Body.Lbrace) + 1
		sound = append(append(sound, m.names(function)...), Edit{at, at, " switch chosenMutant {" + cases[function] + " };"})
	}
	return slices.Concat(edited(m.source, sound), []byte("\n"), mutants)
}

// mutant is the function with the change, under another name.
func (m *mutator) mutant(it *Mutant) []byte {
	from, to, name := m.offset(it.function.Pos()), m.offset(it.function.End()), m.offset(it.function.Name.End())
	edits := []Edit{{name - from, name - from, fmt.Sprintf("_%d", it.ID)}}
	for _, edit := range it.edits {
		edits = append(edits, Edit{edit.from - from, edit.to - from, edit.text})
	}
	return edited(m.source[from:to], edits)
}

// handOver calls a mutant with what the sound function was called with.
func handOver(function *ast.FuncDecl, id int) string {
	its := fmt.Sprintf("%s_%d", function.Name.Name, id)
	if function.Recv != nil {
		its = cmp.Or(named(function.Recv)[0], unnamed("receiver")) + "." + its
	} else if function.Type.TypeParams != nil {
		its += "[" + strings.Join(named(function.Type.TypeParams), ", ") + "]"
	}
	names := []string{}
	for n, name := range named(function.Type.Params) {
		names = append(names, cmp.Or(name, unnamed(n)))
	}
	arguments := strings.Join(names, ", ")
	if list := function.Type.Params.List; len(list) > 0 {
		if _, any := list[len(list)-1].Type.(*ast.Ellipsis); any {
			arguments += "..."
		}
	}
	if function.Type.Results == nil {
		return its + "(" + arguments + "); return"
	}
	return "return " + its + "(" + arguments + ")"
}

// named are the names of parameters, or of what receives a call; empty for those without.
func named(list *ast.FieldList) (names []string) {
	for _, field := range list.List {
		for _, name := range field.Names {
			names = append(names, strings.TrimSuffix(name.Name, "_"))
		}
		if len(field.Names) == 0 {
			names = append(names, "")
		}
	}
	return names
}

// unnamed is how what has no name is called, so that it can be handed over.
func unnamed(which any) string { return fmt.Sprint("unnamed_", which) }

// names gives one to who receives the call, and to each parameter, that has none.
func (m *mutator) names(function *ast.FuncDecl) (edits []Edit) {
	if function.Recv != nil {
		edits = m.namesIn(function.Recv, func(int) string { return unnamed("receiver") })
	}
	return append(edits, m.namesIn(function.Type.Params, func(n int) string { return unnamed(n) })...)
}

func (m *mutator) namesIn(list *ast.FieldList, called func(n int) string) (edits []Edit) {
	n := 0
	for _, field := range list.List {
		for _, name := range field.Names {
			if name.Name == "_" {
				edits = append(edits, m.edit(name, called(n)))
			}
			n++
		}
		if len(field.Names) == 0 {
			at := m.offset(field.Pos())
			edits = append(edits, Edit{at, at, called(n) + " "})
			n++
		}
	}
	return edits
}

// called is the name of a function, with that of the type that it is a method of.
func called(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	for {
		switch of := receiver.(type) {
		case *ast.StarExpr:
			receiver = of.X
		case *ast.IndexExpr:
			receiver = of.X
		case *ast.Ident:
			return of.Name + "." + function.Name.Name
		default:
			return function.Name.Name
		}
	}
}

func (m *mutator) visit(node ast.Node) bool {
	switch it := node.(type) {
	case *ast.BlockStmt:
		m.statements(it.List)
	case *ast.CaseClause:
		m.statements(it.Body)
	case *ast.CommClause:
		m.statements(it.Body)
	case *ast.IfStmt:
		m.condition(it.Cond)
	case *ast.ForStmt:
		if it.Cond != nil {
			m.condition(it.Cond)
		}
	case *ast.BinaryExpr:
		m.operator(it)
	case *ast.BasicLit:
		if value, err := strconv.Atoi(it.Value); it.Kind == token.INT && err == nil {
			m.change("change a constant", it, strconv.Itoa(value+1))
		}
	case *ast.SelectorExpr:
		if other, ok := map[string]string{"Signal": "Broadcast", "Broadcast": "Signal"}[it.Sel.Name]; ok {
			m.change("swap Signal and Broadcast", it.Sel, other)
		}
	case *ast.ReturnStmt:
		for _, result := range it.Results {
			if name, ok := result.(*ast.Ident); ok && (name.Name == "true" || name.Name == "false") {
				m.change("return the opposite", name, map[string]string{"true": "false", "false": "true"}[name.Name])
			}
		}
	case *ast.BranchStmt:
		if it.Label == nil && (it.Tok == token.BREAK || it.Tok == token.CONTINUE) {
			m.change("swap break and continue", it, map[token.Token]string{token.BREAK: "continue", token.CONTINUE: "break"}[it.Tok])
		}
	}
	return true
}

func (m *mutator) statements(list []ast.Stmt) {
	for n, statement := range list {
		if removable(statement) {
			m.change("delete a statement", statement, "")
		}
		if n > 0 && movable(list[n-1]) && movable(statement) {
			before := list[n-1]
			m.add("reorder two statements", before, m.text(before)+"; "+m.text(statement), m.text(statement)+"; "+m.text(before),
				m.edit(before, m.text(statement)), m.edit(statement, m.text(before)))
		}
		if n > 0 && locks(list[n-1]) && unlocksLater(statement) {
			m.add("drop a lock", list[n-1], m.text(list[n-1])+"; "+m.text(statement), "",
				m.edit(list[n-1], ""), m.edit(statement, ""))
		}
	}
}

func (m *mutator) condition(cond ast.Expr) {
	m.change("negate a condition", cond, "!("+m.text(cond)+")")
	m.change("make a condition true", cond, "true")
	m.change("make a condition false", cond, "false")
}

// Of each operator, the one that is nearest to it; a condition is negated as a whole.
var others = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*",
}

func (m *mutator) operator(it *ast.BinaryExpr) {
	left, right := m.text(it.X), m.text(it.Y)
	switch other, ok := others[it.Op]; {
	case it.Op == token.LAND || it.Op == token.LOR:
		m.change("weaken a condition", it, left)
		m.change("weaken a condition", it, right)
	case ok:
		m.change("change an operator", it, left+" "+other+" "+right)
	}
}

func removable(statement ast.Stmt) bool {
	switch it := statement.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt, *ast.ForStmt:
		return true
	case *ast.AssignStmt:
		return it.Tok != token.DEFINE
	case *ast.ReturnStmt:
		return len(it.Results) == 0
	}
	return false
}

func movable(statement ast.Stmt) bool {
	switch it := statement.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.SendStmt:
		return true
	case *ast.AssignStmt:
		return it.Tok != token.DEFINE
	}
	return false
}

func locks(statement ast.Stmt) bool {
	it, ok := statement.(*ast.ExprStmt)
	return ok && method(it.X) == "Lock"
}

func unlocksLater(statement ast.Stmt) bool {
	it, ok := statement.(*ast.DeferStmt)
	return ok && method(it.Call) == "Unlock"
}

func method(expression ast.Expr) string {
	if call, ok := expression.(*ast.CallExpr); ok {
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
			return selector.Sel.Name
		}
	}
	return ""
}

func (m *mutator) change(operator string, node ast.Node, now string) {
	m.add(operator, node, m.text(node), now, m.edit(node, now))
}

func (m *mutator) add(operator string, node ast.Node, was, now string, edits ...Edit) {
	m.found = append(m.found, Mutant{
		File: filepath.Base(m.name), Function: called(m.function), function: m.function, Line: m.files.Position(node.Pos()).Line,
		Operator: operator, Was: short(was), Now: short(now), edits: edits,
	})
}

func (m *mutator) edit(node ast.Node, text string) Edit {
	return Edit{m.offset(node.Pos()), m.offset(node.End()), text}
}

func (m *mutator) text(node ast.Node) string {
	return string(m.source[m.offset(node.Pos()):m.offset(node.End())])
}

func (m *mutator) offset(at token.Pos) int { return m.files.Position(at).Offset }

func short(text string) string { return strings.Join(strings.Fields(text), " ") }

// edited applies edits that stand in the order of the source.
func edited(source []byte, edits []Edit) []byte {
	var out []byte
	at := 0
	for _, edit := range edits {
		out = append(append(out, source[at:edit.from]...), edit.text...)
		at = edit.to
	}
	return append(out, source[at:]...)
}
