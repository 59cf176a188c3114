package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// build is what takes the candidate's place when the driver is compiled.
type build struct {
	folder       string
	overlay      map[string]string  // for packages of the main module
	copied       map[string]*module // by path: the others, which nothing can be laid over
	points       int
	uncontrolled []string
}

func prepare(folder string, paths []string, fields bool) (*build, error) {
	packages, err := list(paths)
	if err != nil {
		return nil, err
	}
	b := &build{folder: folder, overlay: map[string]string{}, copied: map[string]*module{}}
	for _, p := range packages {
		if slices.Contains(paths, p.ImportPath) || slices.Contains(paths, ".") && p.Module != nil && p.Dir == p.Module.Dir && p.Module.Main {
			if p.Module == nil {
				return nil, fmt.Errorf("%s is a package of Go's own, which cannot be taken under control", p.ImportPath)
			}
			p.chosen = true
			if !p.Module.Main {
				b.copied[p.Module.Path] = p.Module
			}
		}
	}
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	for _, p := range packages {
		if p.Module == nil || !p.chosen && b.copied[p.Module.Path] == nil {
			continue
		}
		texts := map[string]string{}
		if p.chosen {
			made, err := rewrite(p, exports, fields)
			if err != nil {
				return nil, err
			}
			texts = made.texts
			b.points += made.points
			b.uncontrolled = append(b.uncontrolled, made.uncontrolled...)
		}
		if err := b.copy(p, texts); err != nil {
			return nil, err
		}
	}
	return b, b.write()
}

// copy puts a package's files where they are compiled, with the texts that are new.
func (b *build) copy(p *pkg, texts map[string]string) error {
	to := filepath.Join(b.folder, p.ImportPath)
	if m := b.copied[p.Module.Path]; m != nil {
		to = filepath.Join(b.folderOf(m), strings.TrimPrefix(p.ImportPath, m.Path))
	}
	for _, name := range p.files() {
		from, made := filepath.Join(p.Dir, name), filepath.Join(to, name)
		text, changed := texts[name]
		if p.Module.Main && !changed {
			continue
		}
		if !changed {
			read, err := os.ReadFile(from)
			if err != nil {
				return err
			}
			text = string(read)
		}
		if err := os.MkdirAll(filepath.Dir(made), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(made, []byte(text), 0o644); err != nil {
			return err
		}
		if p.Module.Main {
			b.overlay[from] = made
		}
	}
	return nil
}

// folderOf is the copy of a module; the release can still be read off it.
func (b *build) folderOf(m *module) string { return filepath.Join(b.folder, m.Path+"@"+m.Version) }

// write puts down what the compiler is told: what is laid over what, and which module is replaced.
func (b *build) write() error {
	for from, to := range map[string]string{"go.mod": "control.mod", "go.sum": "control.sum"} {
		text, err := os.ReadFile(from)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		if err := os.WriteFile(filepath.Join(b.folder, to), text, 0o644); err != nil {
			return err
		}
	}
	edit := []string{"mod", "edit"}
	for _, m := range b.copied {
		text, err := os.ReadFile(m.goMod())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(b.folderOf(m), "go.mod"), text, 0o644); err != nil {
			return err
		}
		edit = append(edit, "-replace="+m.Path+"="+b.folderOf(m))
	}
	if len(b.copied) > 0 {
		if _, err := command("go", append(edit, filepath.Join(b.folder, "control.mod"))...); err != nil {
			return err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": b.overlay})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.folder, "overlay.json"), overlay, 0o644)
}

func (b *build) make(output string) error {
	_, err := command("go", "test", "-c", "-o", output, "-modfile="+filepath.Join(b.folder, "control.mod"),
		"-overlay="+filepath.Join(b.folder, "overlay.json"), ".")
	return err
}

// command runs one and tells what it has written; or, if it fails, what it has said.
func command(name string, arguments ...string) ([]byte, error) {
	c := exec.Command(name, arguments...)
	var said strings.Builder
	c.Stderr = &said
	written, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(arguments, " "), err, said.String())
	}
	return written, nil
}
