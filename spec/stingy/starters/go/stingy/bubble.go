package driver

import (
	"bufio"
	"flag"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// inRealTime is for whom a virtual clock hides something: what is due already when it is first looked at, say.
var inRealTime = flag.Bool("realtime", false, "serve outside the bubble, where time passes by itself, and nobody knows who is idle")

// Main keeps standard output for answers: the test framework says PASS on it, and a candidate may print.
func Main(m *testing.M) {
	os.Stdout = os.Stderr
	os.Exit(m.Run())
}

// Serve answers the runner until it says bye. It is called by a test, because only tests get a synctest bubble: a clock
// that moves when told to, and a Wait that knows when every goroutine is idle. One bubble serves all candidates, until the
// clock is to be set.
func Serve(t *testing.T, d *Driver) {
	if flag.Lookup("test.paniconexit0").Value.String() == "true" { // set by go test, which has nobody to talk to
		t.Skip("this is a driver: go test -c -o driver . && stingy run cmd:./driver")
	}
	// Made and filled outside the bubble: there, waiting for a command does not count as idle, and the clock stands still.
	lines := make(chan []byte)
	go read(os.Stdin, lines)
	if !*inRealTime {
		go watch()
	}
	for {
		if *inRealTime {
			d.serveUntilStep(lines)
		} else {
			inBubble(t, func() { d.serveUntilStep(lines) })
		}
	}
}

// inBubble runs in a bubble, and returns when that is over, be there a data race within: the test has failed for that, which ends
// the goroutine that it is run by.
func inBubble(t *testing.T, run func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		synctest.Test(t, func(*testing.T) { run() })
	}()
	<-over
}

// settled waits until every goroutine is idle or blocked; outside the bubble only for a little while.
func settled() {
	if *inRealTime {
		time.Sleep(10 * time.Millisecond)
	} else {
		synctest.Wait()
	}
}

// serveUntilStep returns when the clock is to be set: for that there has to be another bubble.
func (d *Driver) serveUntilStep(lines <-chan []byte) {
	if d.step == nil {
		time.Sleep(oddly)
	} else {
		d.step.finish()
		d.step = nil
	}
	for line := range lines {
		if d.serve(line); d.step != nil {
			return
		}
	}
	os.Exit(0)
}

func read(input io.Reader, lines chan<- []byte) {
	for buffered := bufio.NewReader(input); ; {
		line, err := buffered.ReadBytes('\n')
		if len(line) > 0 {
			lines <- line
		}
		if err != nil {
			close(lines)
			time.Sleep(10 * time.Second)
			os.Exit(1) // a candidate that never settles must not outlive its runner
		}
	}
}
