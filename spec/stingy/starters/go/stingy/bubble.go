package driver

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
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
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // what a candidate leaves is little, and there are thousands of them
	}
	asked := &input{lines: bufio.NewReader(os.Stdin)}
	go asked.watch()
	if !*inRealTime {
		go watch()
	}
	for {
		if *inRealTime {
			d.serveUntilStep(asked)
		} else {
			inBubble(t, func() { d.serveUntilStep(asked) })
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
func (d *Driver) serveUntilStep(asked *input) {
	if d.step == nil {
		time.Sleep(oddly)
	} else {
		d.step.finish()
		d.step = nil
	}
	for {
		line := asked.next()
		if len(line) == 0 {
			os.Exit(0)
		}
		if d.serve(line); d.step != nil {
			return
		}
	}
}

// input is what the runner asks. It is read where it is served: in a bubble, who reads does not count as idle, so the clock stands
// still, and a goroutine that reads ahead would cost more than most requests.
type input struct {
	lines   *bufio.Reader
	reading sync.Mutex
	served  atomic.Int64 // how many lines have been
}

// next waits for a line; it is empty at the end.
func (in *input) next() []byte {
	in.reading.Lock()
	defer in.reading.Unlock()
	if !in.holdsLine() {
		flush()
	}
	line, _ := in.lines.ReadBytes('\n')
	serving()
	in.served.Add(1)
	return line
}

// holdsLine is whether the next line has come already.
func (in *input) holdsLine() bool {
	held, _ := in.lines.Peek(in.lines.Buffered())
	return bytes.IndexByte(held, '\n') >= 0
}

// watch ends the program if the runner has ended while a candidate does not settle: it must not outlive its runner.
func (in *input) watch() {
	for last := int64(0); ; time.Sleep(5 * time.Second) {
		served := in.served.Load()
		if served == last && in.reading.TryLock() {
			_, err := in.lines.Peek(in.lines.Buffered() + 1)
			in.reading.Unlock()
			if errors.Is(err, io.EOF) {
				time.Sleep(5 * time.Second)
				os.Exit(1)
			}
		}
		last = served
	}
}
