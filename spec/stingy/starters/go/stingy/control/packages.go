package main

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

type module struct {
	Path, Version, Dir, GoMod, GoVersion string
	Main                                 bool
	Replace                              *module
}

func (m *module) goMod() string {
	if m.Replace != nil {
		return filepath.Join(m.Replace.Dir, "go.mod")
	}
	return filepath.Join(m.Dir, "go.mod")
}

type pkg struct {
	ImportPath, Dir, Export string
	ForTest                 string
	GoFiles, CgoFiles       []string
	SFiles, HFiles          []string
	EmbedFiles              []string
	Module                  *module
	chosen                  bool
}

func (p *pkg) files() []string {
	return slices.Concat(p.GoFiles, p.CgoFiles, p.SFiles, p.HFiles, p.EmbedFiles)
}

// list tells of packages and of all that they are made of, compiled; and of all that the driver is made of besides, for of a
// module that is copied whatever it needs has to be there.
func list(paths []string) (packages []*pkg, err error) {
	packages, err = listed(append([]string{"-export"}, paths...))
	if err != nil {
		return nil, err
	}
	more, err := listed([]string{"-test", "."})
	if err != nil {
		return nil, err
	}
	for _, p := range more {
		known := slices.ContainsFunc(packages, func(had *pkg) bool { return had.ImportPath == p.ImportPath })
		if !known && p.ForTest == "" && !strings.HasSuffix(p.ImportPath, ".test") {
			packages = append(packages, p)
		}
	}
	return packages, nil
}

func listed(arguments []string) (packages []*pkg, err error) {
	fields := "-json=ImportPath,ForTest,Dir,Export,GoFiles,CgoFiles,SFiles,HFiles,EmbedFiles,Module"
	told, err := command("go", append([]string{"list", "-deps", fields}, arguments...)...)
	if err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(bytes.NewReader(told)); ; {
		p := &pkg{}
		if err := decoder.Decode(p); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}
