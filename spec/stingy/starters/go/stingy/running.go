package driver

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"strings"
	"sync/atomic"
)

// Running holds the op that returns the number of goroutines that a candidate has started and that have not ended.
var Running = Ops{
	"running": On(func(c *crewed, _ Request) any { return c.goroutines() - int(c.working.Load()) }),
}

var crews atomic.Int64

// labels holds a label that no other candidate's goroutines have.
func labels(label string) context.Context {
	return pprof.WithLabels(context.Background(), pprof.Labels("candidate", label))
}

// mark labels the goroutine that calls it until the mark is taken off; whoever it starts in between inherits the label.
func (c *crewed) mark() (off func()) {
	pprof.SetGoroutineLabels(c.labels)
	return unmark
}

func unmark() { pprof.SetGoroutineLabels(context.Background()) }

// goroutines counts those with the label, that of who asks among them.
func (c *crewed) goroutines() (count int) {
	var told bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&told, 1); err != nil {
		panic(err)
	}
	// Where goroutines stand alike and are labelled alike, a line says how many, and the next how they are labelled.
	label := fmt.Sprintf("# labels: {%q:%q}", "candidate", c.label)
	var alike int
	for lines := bufio.NewScanner(&told); lines.Scan(); {
		if line := lines.Text(); strings.Contains(line, " @ ") {
			alike = 0
			fmt.Sscan(line, &alike)
		} else if line == label {
			count += alike
		}
	}
	return count
}
