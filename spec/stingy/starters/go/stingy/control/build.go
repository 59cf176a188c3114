package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// build is what takes the candidate's place when the driver is compiled.
type build struct {
	texts        map[string]string  // of the copies, by their paths in the folder
	overlay      map[string]string  // for packages of the main module: which copy is laid over which file
	copied       map[string]*module // by path: the others, which nothing can be laid over
	points       int
	uncontrolled []string
}

func prepare(paths []string, fields bool) (*build, error) {
	packages, err := list(paths)
	if err != nil {
		return nil, err
	}
	b := &build{texts: map[string]string{}, overlay: map[string]string{}, copied: map[string]*module{}}
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
	for _, m := range b.copied {
		text, err := os.ReadFile(m.goMod())
		if err != nil {
			return nil, err
		}
		b.texts[filepath.Join(folderOf(m), "go.mod")] = string(text)
	}
	return b, nil
}

// copy has a package's files where they are to be compiled, with the texts that are new.
func (b *build) copy(p *pkg, texts map[string]string) error {
	to := p.ImportPath
	if m := b.copied[p.Module.Path]; m != nil {
		to = filepath.Join(folderOf(m), strings.TrimPrefix(p.ImportPath, m.Path))
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
		b.texts[made] = text
		if p.Module.Main {
			b.overlay[from] = made
		}
	}
	return nil
}

// folderOf is where the copy of a module is; the release can still be read off it.
func folderOf(m *module) string { return m.Path + "@" + m.Version }

// folder has the copies. Where their texts are the same it is the same folder, for to another one Go would compile anew all that is
// made of them.
func (b *build) folder(keep string) (string, error) {
	if keep != "" {
		return keep, b.write(keep)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	hash := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(b.texts)) {
		fmt.Fprintf(hash, "%q %q\n", path, b.texts[path])
	}
	all := filepath.Join(cache, "stingy", "control")
	folder := filepath.Join(all, fmt.Sprintf("%x", hash.Sum(nil))[:16])
	if exists(folder) {
		return folder, nil
	}
	if err := os.MkdirAll(all, 0o755); err != nil {
		return "", err
	}
	begun, err := os.MkdirTemp(all, "begun-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(begun)
	if err := b.write(begun); err != nil {
		return "", err
	}
	if err := os.Rename(begun, folder); err != nil && !exists(folder) { // another build may have been faster
		return "", err
	}
	return folder, nil
}

func exists(folder string) bool {
	_, err := os.Stat(folder)
	return err == nil
}

func (b *build) write(folder string) error {
	for path, text := range b.texts {
		to := filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// make compiles the driver; what the compiler is told of the copies in this folder is gone when it has.
func (b *build) make(output, folder string, race bool) error {
	told, err := os.MkdirTemp("", "control-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(told)
	modules, overlay := filepath.Join(told, "control.mod"), filepath.Join(told, "overlay.json")
	for from, to := range map[string]string{"go.mod": modules, "go.sum": filepath.Join(told, "control.sum")} {
		text, err := os.ReadFile(from)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
	edit := []string{"mod", "edit"}
	for _, m := range b.copied {
		edit = append(edit, "-replace="+m.Path+"="+filepath.Join(folder, folderOf(m)))
	}
	if len(b.copied) > 0 {
		if _, err := command("go", append(edit, modules)...); err != nil {
			return err
		}
	}
	laid := map[string]string{}
	for from, to := range b.overlay {
		laid[from] = filepath.Join(folder, to)
	}
	text, err := json.Marshal(map[string]any{"Replace": laid})
	if err != nil {
		return err
	}
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		return err
	}
	arguments := []string{"test", "-c", "-o", output, "-modfile=" + modules, "-overlay=" + overlay}
	if race { // package sched is not looked at, be it inlined: it hands turns on, which is no doing of the candidate's
		arguments = append(arguments, "-race", "-gcflags=stingy.invalid/driver/sched=-race=false -l")
	}
	_, err = command("go", append(arguments, ".")...)
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
