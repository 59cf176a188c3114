package driver

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/workqueue"
)

type queue = workqueue.TypedInterface[string]

// An operation is one call to the candidate.
type operation struct {
	takesItem bool
	call      func(q queue, req request) any
}

// operations is all that hello offers. Further ones, such as add_after with its ns, are further entries.
var operations = map[string]operation{
	"add":  {true, func(q queue, req request) any { q.Add(*req.Item); return nil }},
	"done": {true, func(q queue, req request) any { q.Done(*req.Item); return nil }},
	"get": {false, func(q queue, _ request) any {
		item, shutdown := q.Get()
		if shutdown {
			return delivery{nil, true}
		}
		return delivery{&item, false}
	}},
	"len":                  {false, func(q queue, _ request) any { return q.Len() }},
	"shut_down":            {false, func(q queue, _ request) any { q.ShutDown(); return nil }},
	"shut_down_with_drain": {false, func(q queue, _ request) any { q.ShutDownWithDrain(); return nil }},
	"shutting_down":        {false, func(q queue, _ request) any { return q.ShuttingDown() }},
}

// candidate is one queue with everything that is calling it.
type candidate struct {
	queue     queue
	lanes     map[string]chan struct{} // closed when the last thing asked of that lane is over
	abandoned atomic.Bool
}

func newCandidate() *candidate {
	return &candidate{queue: workqueue.NewTyped[string](), lanes: map[string]chan struct{}{}}
}

// abandon ends what still calls the candidate: goroutines left blocked in it would pile up over thousands of candidates.
// Calls that could return have been answered before; those released here are not, for the next candidate must not hear of
// them.
func (c *candidate) abandon() {
	synctest.Wait()
	c.abandoned.Store(true)
	go c.call(request{Op: "shut_down"}) // on the side: if even this blocks, the driver need not
	synctest.Wait()
}

// inLane does the work after everything asked of that lane before. A goroutine for each piece of work, rather than one
// for the lane's lifetime, leaves nothing behind when a lane is idle and lets any number wait behind a blocked call.
func (c *candidate) inLane(lane string, work func()) {
	before, after := c.lanes[lane], make(chan struct{})
	c.lanes[lane] = after
	go func() {
		defer close(after)
		if before != nil {
			<-before
		}
		if !c.abandoned.Load() {
			work()
		}
	}()
}

func (c *candidate) call(req request) (val any, bad *failure) {
	defer func() {
		if p := recover(); p != nil {
			val, bad = nil, raised(fmt.Sprint("panic: ", p))
		}
	}()
	return operations[req.Op].call(c.queue, req), nil
}

type driver struct {
	candidate *candidate
}

func (d *driver) serve(line []byte) {
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		answer(req.ID, nil, senseless(err.Error())) // 0, unless it was only some other key that had the wrong type
		return
	}
	if _, ok := operations[req.Op]; ok {
		d.serveCall(req)
		return
	}
	val, bad := d.handle(req)
	answer(req.ID, val, bad)
	if req.Op == "bye" {
		os.Exit(0)
	}
}

func (d *driver) handle(req request) (any, *failure) {
	switch req.Op {
	case "hello":
		return describe(), nil
	case "new":
		if d.candidate != nil {
			d.candidate.abandon()
			d.candidate = nil // even if this one is refused, no call may reach the one before
		}
		if req.Impl != "work_queue" {
			return nil, unsupported("impl " + req.Impl)
		}
		d.candidate = newCandidate()
		return now(), nil
	case "settle":
		synctest.Wait()
		return now(), nil
	case "advance":
		if req.NS < 0 {
			return nil, senseless("time does not go back")
		}
		synctest.Wait()
		time.Sleep(time.Duration(req.NS))
		synctest.Wait()
		return now(), nil
	case "burst":
		if d.candidate == nil {
			return nil, senseless("no candidate")
		}
		return d.candidate.burst(req.Programs, req.Seed)
	case "bye":
		return nil, nil
	case "":
		return nil, senseless("no op")
	}
	return nil, unsupported("op " + req.Op)
}

func (d *driver) serveCall(req request) {
	switch c := d.candidate; {
	case c == nil:
		answer(req.ID, nil, senseless("no candidate"))
	case req.Lane == nil:
		answer(req.ID, nil, senseless("no lane"))
	case operations[req.Op].takesItem && req.Item == nil:
		answer(req.ID, nil, senseless("no item"))
	default:
		c.inLane(*req.Lane, func() {
			if val, bad := c.call(req); !c.abandoned.Load() {
				answer(req.ID, val, bad)
			}
		})
	}
}

func now() clock { return clock{time.Now().UnixNano()} }

func describe() identity {
	return identity{
		Protocol:     1,
		Name:         "client-go",
		Version:      version(),
		Build:        runtime.Version() + " " + executableHash(),
		Language:     "go",
		Ops:          slices.Sorted(maps.Keys(operations)),
		Capabilities: capabilities{VirtualClock: true, Settle: true, Burst: true, ResolutionNS: 1},
	}
}

var release = regexp.MustCompile(`k8s\.io/client-go@([^/]+)/`)

// version is read off the path that the linked code was compiled from. Test binaries carry no build information about
// modules, and go.mod says what was asked for, which a replace or a workspace may overrule: then it is "unknown".
func version() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(workqueue.New).Pointer()).FileLine(0)
	if match := release.FindStringSubmatch(file); match != nil {
		return match[1]
	}
	return "unknown"
}

func executableHash() string {
	path, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%x", sha256.Sum256(program))[:12]
}

// TestMain keeps standard output for answers: the test framework says PASS on it, and a candidate may print.
func TestMain(m *testing.M) {
	os.Stdout = os.Stderr
	os.Exit(m.Run())
}

// TestDriver is not a test, but only tests get a synctest bubble: a clock that moves when told to, and a Wait that knows
// when every goroutine is idle. One bubble serves all candidates.
func TestDriver(t *testing.T) {
	if flag.Lookup("test.paniconexit0").Value.String() == "true" { // set by go test, which has nobody to talk to
		t.Skip("this is a driver: go test -c -o driver . && stingy run cmd:./driver")
	}
	// Made and filled outside the bubble: there, waiting for a command does not count as idle, and the clock stands still.
	lines := make(chan []byte)
	go read(os.Stdin, lines)
	synctest.Test(t, func(*testing.T) {
		var d driver
		for line := range lines {
			d.serve(line)
		}
		os.Exit(0)
	})
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
