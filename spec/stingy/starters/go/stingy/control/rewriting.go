package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// through is what a rewritten file calls the package that its operations go through.
const through = "stingysched"

// rewriting is one package with its operations going through package sched.
type rewriting struct {
	path         string
	language     string // the version that its module is written in
	fset         *token.FileSet
	info         *types.Info
	fields       bool
	texts        map[string]string
	points       int
	uncontrolled []string
}

func rewrite(p *pkg, exports map[string]string, fields bool) (*rewriting, error) {
	r := &rewriting{path: p.ImportPath, fset: token.NewFileSet(), fields: fields, texts: map[string]string{}}
	if len(p.CgoFiles) > 0 {
		r.uncontrolled = append(r.uncontrolled, p.ImportPath+": the package uses cgo, and is left as it is")
		return r, nil
	}
	for _, name := range p.SFiles {
		r.uncontrolled = append(r.uncontrolled, fmt.Sprintf("%s/%s: assembly", p.ImportPath, name))
	}
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(r.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed, r.texts[name] = append(parsed, file), string(text)
	}
	r.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
	}
	config := types.Config{Importer: importer.ForCompiler(r.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	if p.Module != nil && p.Module.GoVersion != "" {
		r.language = "go" + p.Module.GoVersion
		config.GoVersion = r.language
	}
	if _, err := config.Check(p.ImportPath, r.fset, parsed, r.info); err != nil {
		return nil, fmt.Errorf("%s cannot be understood: %w", p.ImportPath, err)
	}
	for i, name := range p.GoFiles {
		r.file(name, parsed[i])
	}
	r.tell(p.GoFiles[0])
	return r, nil
}

func (r *rewriting) file(name string, parsed *ast.File) {
	f := &file{rewriting: r, name: name, text: r.texts[name], root: parsed, base: r.fset.File(parsed.Pos()).Base(), imported: map[string]bool{}}
	f.walk()
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//go:linkname ") {
				f.refuse(comment, strings.TrimPrefix(comment.Text, "//"))
			}
		}
	}
	if len(f.edits) > 0 {
		f.insert(parsed.Name.End(), true, f.imports())
		r.texts[name] = f.render(0, len(f.text))
		for _, function := range slices.Sorted(maps.Keys(f.imported)) {
			r.texts[name] += "\nvar _ = " + function + "\n"
		}
		r.texts[name] = r.withGenerics(r.texts[name])
	}
}

// withGenerics is a text of an older language with as much of a newer one as package sched needs to be called. What loops mean
// changed later than that, so they mean what they did.
func (r *rewriting) withGenerics(text string) string {
	if r.language == "" || version.Compare(r.language, "go1.18") >= 0 {
		return text
	}
	if constraint := constraints.FindString(text); constraint != "" {
		return strings.Replace(text, constraint, fmt.Sprintf("//go:build (%s) && go1.21", constraint[len("//go:build "):]), 1)
	}
	return "//go:build go1.21\n\n//line :1:1\n" + text
}

var constraints = regexp.MustCompile("(?m)^//go:build .*$")

func (f *file) imports() string {
	return fmt.Sprintf("; import %s %q", through, "stingy.invalid/driver/sched")
}

// tell has the package say at its start that its operations go through sched.
func (r *rewriting) tell(first string) {
	if r.points == 0 {
		return
	}
	text := r.texts[first]
	if !strings.Contains(text, through) {
		f := &file{rewriting: r, text: text}
		parsed, _ := parser.ParseFile(token.NewFileSet(), first, text, parser.PackageClauseOnly)
		end := int(parsed.Name.End()) - 1
		text = text[:end] + f.imports() + text[end:]
	}
	points, told := "sync", ""
	if r.fields {
		points = "fields"
	}
	for _, what := range r.uncontrolled {
		told += fmt.Sprintf(", %q", what)
	}
	r.texts[first] = text + fmt.Sprintf("\nvar _ = %s.Rewritten(%q, %q%s)\n", through, r.path, points, told)
}
