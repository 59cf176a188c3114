// Control builds a driver that has its candidate under control. In the folder of a driver,
//
//	go run stingy.invalid/driver/control [-points fields] [-race] [-o driver] PACKAGE…
//
// is go test -c, but that in these packages of the candidate each operation that goroutines meet in goes through package
// sched. Neither the candidate nor its go.mod is touched: copies are compiled in their place, in which every line stands
// where it stood.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	output := flag.String("o", "driver", "the driver to build")
	points := flag.String("points", "sync", `where goroutines can be made to wait: "sync", before each operation that they meet in; "fields", before each statement that touches a field, too`)
	keep := flag.String("keep", "", "a folder for the copies; without, they are where Go's own cache is")
	race := flag.Bool("race", false, "have Go's race detector look on: a data race is a broken rule")
	flag.Parse()
	if err := run(*output, *points, *keep, *race, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(output, points, keep string, race bool, paths []string) error {
	began := time.Now()
	if len(paths) == 0 {
		return fmt.Errorf("name the packages whose goroutines are to be under control, as in k8s.io/client-go/util/workqueue")
	}
	if points != "sync" && points != "fields" {
		return fmt.Errorf("-points %s: there are sync and fields", points)
	}
	if keep != "" {
		var err error
		if keep, err = filepath.Abs(keep); err != nil {
			return err
		}
	}
	build, err := prepare(paths, points == "fields")
	if err != nil {
		return err
	}
	folder, err := build.folder(keep)
	if err != nil {
		return err
	}
	if err := build.make(output, folder, race); err != nil {
		return err
	}
	for _, what := range build.uncontrolled {
		fmt.Fprintln(os.Stderr, "not controlled:", what)
	}
	fmt.Fprintf(os.Stderr, "%s: %d points in %d packages, %d places not controlled, in %.1f s\n",
		output, build.points, len(paths), len(build.uncontrolled), time.Since(began).Seconds())
	return nil
}
