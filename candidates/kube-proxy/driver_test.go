package driver

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/proxy"
)

// A candidate serves one call after another, whatever their lanes: none of them waits for another.
type candidate interface {
	call(req request) (any, *failure)
}

var (
	candidates = map[string]func(v1.IPFamily) candidate{"change_tracker": newTracker, "proxy": newProxy}
	operations = []string{"checkout", "metric", "remove", "services_synced", "slices_synced", "sync", "update"}
)

type driver struct {
	candidate candidate
}

func (d *driver) serve(line []byte) {
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		answer(req.ID, nil, senseless(err.Error())) // 0, unless it was only some other key that had the wrong type
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
		return d.make(req.Impl, req.Options)
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
	case "bye":
		return nil, nil
	case "":
		return nil, senseless("no op")
	}
	if slices.Contains(operations, req.Op) {
		return d.call(req)
	}
	return nil, unsupported("op " + req.Op)
}

func (d *driver) make(impl string, options options) (any, *failure) {
	d.candidate = nil // even if this one is refused, no call may reach the one before
	make, ok := candidates[impl]
	if !ok {
		return nil, unsupported("impl " + impl)
	}
	switch family := v1.IPFamily(options.IPFamily); family {
	case "":
		d.candidate = make(v1.IPv4Protocol)
	case v1.IPv4Protocol, v1.IPv6Protocol:
		d.candidate = make(family)
	default:
		return nil, senseless("ip_family " + options.IPFamily)
	}
	return now(), nil
}

func (d *driver) call(req request) (val any, bad *failure) {
	switch {
	case d.candidate == nil:
		return nil, senseless("no candidate")
	case req.Lane == nil:
		return nil, senseless("no lane")
	case (req.Op == "update" || req.Op == "remove") && req.Slice == nil:
		return nil, senseless("no slice")
	case req.Op == "sync" && (req.Program == nil || req.Program.TakesNS < 0):
		return nil, senseless("no program, or one that takes less than no time")
	}
	defer func() {
		if p := recover(); p != nil {
			val, bad = nil, raised(fmt.Sprint("panic: ", p))
		}
	}()
	return d.candidate.call(req)
}

func now() clock { return clock{time.Now().UnixNano()} }

func describe() identity {
	return identity{
		Protocol:     1,
		Name:         "kube-proxy",
		Version:      version(),
		Build:        runtime.Version() + " " + executableHash(),
		Language:     "go",
		Ops:          operations,
		Capabilities: capabilities{VirtualClock: true, Settle: true, ResolutionNS: 1},
	}
}

var release = regexp.MustCompile(`k8s\.io/kubernetes@([^/]+)/`)

// version is read off the path that the linked code was compiled from. Test binaries carry no build information about
// modules, and go.mod says what was asked for, which a replace or a workspace may overrule: then it is "unknown".
func version() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(proxy.NewEndpointsChangeTracker).Pointer()).FileLine(0)
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
