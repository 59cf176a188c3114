package driver

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"time"
)

// Driver is all that a driver for one module has to say of itself.
type Driver struct {
	Name   string
	Module string // whose release is judged …
	Sample any    // … and one of its functions, which is linked in
	Ops    Ops    // of all impls
	Impls  map[string]func(Options) Candidate

	// Passive candidates do nothing by themselves, and no call waits for another. So calls are made one by one but in a
	// burst, the clock moves for as long as one takes, and it can be set while none is under way.
	Passive bool

	candidate *crewed
	step      *step
}

func (d *Driver) serve(line []byte) {
	var req Request
	if err := json.Unmarshal(line, &req); err != nil {
		answer(req.ID, nil, senseless(err.Error())) // 0, unless it was only some other key that had the wrong type
		return
	}
	req.line = line
	if _, ok := d.Ops[req.Op]; ok {
		d.serveCall(req)
		return
	}
	if d.Passive && (req.Op == "new" || req.Op == "step") {
		d.serveStep(req)
		return
	}
	val, bad := d.handle(req)
	answer(req.ID, val, bad)
	if req.Op == "bye" {
		os.Exit(0)
	}
}

func (d *Driver) handle(req Request) (any, *failure) {
	switch req.Op {
	case "hello":
		return d.describe(), nil
	case "new":
		return d.make(req.Impl, req.Options)
	case "settle":
		settled()
		return now(), nil
	case "advance":
		if req.NS < 0 {
			return nil, senseless("time does not go back")
		}
		settled()
		time.Sleep(req.NS)
		settled()
		return now(), nil
	case "burst":
		if d.candidate == nil {
			return nil, senseless("no candidate")
		}
		return d.candidate.burst(req.Programs, req.Seed, req.NS)
	case "bye":
		return nil, nil
	case "":
		return nil, senseless("no op")
	}
	return nil, unsupported("op " + req.Op)
}

func (d *Driver) make(impl string, options Options) (any, *failure) {
	if d.candidate != nil {
		d.candidate.abandon()
		d.candidate = nil // even if this one is refused, no call may reach the one before
	}
	make, ok := d.Impls[impl]
	if !ok {
		return nil, unsupported("impl " + impl)
	}
	if family := options.IPFamily; family != "" && family != "IPv4" && family != "IPv6" {
		return nil, senseless("ip_family " + family)
	}
	d.candidate = crew(d.Ops, func() Candidate { return make(options) })
	return now(), nil
}

func (d *Driver) serveCall(req Request) {
	switch c := d.candidate; {
	case c == nil:
		answer(req.ID, nil, senseless("no candidate"))
	case req.Lane == nil:
		answer(req.ID, nil, senseless("no lane"))
	case takesItem(req.Op) && req.Item == nil:
		answer(req.ID, nil, senseless("no item"))
	case d.Passive:
		val, bad := c.call(req)
		answer(req.ID, val, bad)
	default:
		c.inLane(*req.Lane, func() {
			if val, bad := c.call(req); !c.abandoned.Load() {
				answer(req.ID, val, bad)
			}
		})
	}
}

func now() clock { return clock{time.Now().UnixNano()} }

func (d *Driver) describe() identity {
	return identity{
		Protocol:     1,
		Name:         d.Name,
		Version:      d.version(),
		Build:        runtime.Version() + " " + executableHash(),
		Language:     "go",
		Ops:          slices.Sorted(maps.Keys(d.Ops)),
		Kubernetes:   d.kubernetes(),
		Capabilities: d.capabilities(),
	}
}

func (d *Driver) capabilities() capabilities {
	if *inRealTime {
		return capabilities{ResolutionNS: 1}
	}
	return capabilities{VirtualClock: true, Settle: true, Burst: true, Step: d.Passive, ResolutionNS: 1}
}

// kubernetes is the minor version of what is part of Kubernetes itself, and so has its ways.
func (d *Driver) kubernetes() string {
	if d.Module != "k8s.io/kubernetes" {
		return ""
	}
	return regexp.MustCompile(`\d+\.\d+`).FindString(d.version())
}

// version is read off the path that the linked code was compiled from. Test binaries carry no build information about
// modules, and go.mod says what was asked for, which a replace or a workspace may overrule: then it is "unknown".
func (d *Driver) version() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(d.Sample).Pointer()).FileLine(0)
	release := regexp.MustCompile(regexp.QuoteMeta(d.Module) + `@([^/]+)/`)
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
