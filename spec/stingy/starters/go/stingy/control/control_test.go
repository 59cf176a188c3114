package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// driver builds the sample under control, and tells what was said.
func driver(t *testing.T, arguments ...string) (program, said string) {
	t.Helper()
	t.Chdir("testdata")
	program = filepath.Join(t.TempDir(), "driver")
	arguments = append([]string{"run", "stingy.invalid/driver/control", "-o", program}, arguments...)
	told, err := exec.Command("go", arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, told)
	}
	return program, string(told)
}

func TestEachOperationIsUnderControlAndDoesWhatItDid(t *testing.T) {
	for _, points := range []string{"sync", "fields"} {
		t.Run(points, func(t *testing.T) {
			program, said := driver(t, "-points", points, "stingy.invalid/sample/operations", "stingy.invalid/old")
			for _, due := range []string{": (*sync.Mutex).Unlock as a value", ": sync.OnceFunc", "2 places not controlled"} {
				if !strings.Contains(said, due) {
					t.Errorf("not said: %s; said: %s", due, said)
				}
			}
			if told, err := exec.Command(program).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, told)
			}
		})
	}
}

func TestNoLineMoves(t *testing.T) {
	folder := t.TempDir()
	driver(t, "-keep", folder, "-points", "fields", "stingy.invalid/sample/operations")
	before, _ := os.ReadFile("operations/operations.go")
	after, err := os.ReadFile(filepath.Join(folder, "stingy.invalid/sample/operations/operations.go"))
	if err != nil {
		t.Fatal(err)
	}
	were, are := strings.Split(string(before), "\n"), strings.Split(string(after), "\n")
	for i, line := range were {
		if strings.HasPrefix(line, "func ") && !strings.HasPrefix(are[i], line) {
			t.Errorf("line %d is %q", i+1, are[i])
		}
	}
}

func TestWhatCannotBeBuiltIsSaidInASentence(t *testing.T) {
	for due, arguments := range map[string][]string{
		"name the packages":         nil,
		"there are sync and fields": {"-points", "all", "stingy.invalid/sample/operations"},
		"a package of Go's own":     {"sync"},
	} {
		arguments = append([]string{"run", "stingy.invalid/driver/control"}, arguments...)
		command := exec.Command("go", arguments...)
		command.Dir = "testdata"
		if said, err := command.CombinedOutput(); err == nil || !strings.Contains(string(said), due) {
			t.Errorf("not said: %s; said: %s", due, said)
		}
	}
}

func TestWhatIsTheSameIsCopiedOnce(t *testing.T) {
	caches := t.TempDir()
	t.Setenv("GOCACHE", strings.TrimSpace(string(must(exec.Command("go", "env", "GOCACHE").Output()))))
	t.Setenv("XDG_CACHE_HOME", caches)
	for range 2 {
		t.Run("built", func(t *testing.T) { driver(t, "stingy.invalid/sample/operations", "stingy.invalid/old") })
	}
	copies, err := os.ReadDir(filepath.Join(caches, "stingy", "control"))
	if err != nil || len(copies) != 1 {
		t.Errorf("copies: %v, %v", copies, err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
