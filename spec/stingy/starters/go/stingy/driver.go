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

	"stingy.invalid/driver/sched"
)

// Driver is all that a driver for one module has to say of itself.
type Driver struct {
	Name   string
	Module string // whose release is judged, if it is one …
	Sample any    // … and one of its functions, which is linked in
	Ops    Ops    // of all impls
	Impls  map[string]func(Options) Candidate

	// Passive are the impls whose candidates do nothing by themselves, and where no call waits for another. So calls are made
	// one by one but in a burst, the clock moves for as long as one takes, and it can be set while none is under way.
	Passive []string

	// Meanwhile is whether a sync takes changes that arrive while the rules are programmed.
	Meanwhile bool

	candidate *crewed
	made      Request   // that asked for the candidate …
	asked     []Request // … and what has been asked of it since
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
	if len(d.Passive) > 0 && (req.Op == "new" || req.Op == "step") {
		d.serveStep(req)
		return
	}
	val, bad := d.handle(req)
	if bad == nil && d.candidate != nil {
		bad = d.candidate.trouble()
	}
	answer(req.ID, val, bad)
	if req.Op == "bye" {
		flush()
		os.Exit(0)
	}
}

func (d *Driver) handle(req Request) (any, *failure) {
	switch req.Op {
	case "hello":
		return d.describe(), nil
	case "new":
		return d.make(req)
	case "settle":
		d.settle()
		return now(), nil
	case "advance":
		if req.NS < 0 {
			return nil, senseless("time does not go back")
		}
		d.note(req)
		d.advance(req.NS)
		told := now()
		if d.candidate != nil && d.candidate.run != nil {
			told.Steps = d.candidate.run.Steps()
		}
		return told, nil
	case "burst":
		if d.candidate == nil {
			return nil, senseless("no candidate")
		}
		return d.burst(req)
	case "bye":
		return nil, nil
	case "":
		return nil, senseless("no op")
	}
	return nil, unsupported("op " + req.Op)
}

func (d *Driver) settle() {
	if d.candidate != nil {
		d.candidate.settle()
	} else {
		settled()
	}
}

func (d *Driver) advance(span time.Duration) {
	if d.candidate != nil {
		d.candidate.advance(span)
	} else {
		time.Sleep(span)
	}
}

func (d *Driver) burst(req Request) (any, *failure) {
	b, bad := d.candidate.burst(req)
	switch {
	case bad != nil:
		return nil, bad
	case d.candidate.run == nil:
		if req.Schedule != nil {
			return nil, unsupported("a schedule where nothing is under control")
		}
		return history{Calls: d.candidate.perturbed(b)}, nil
	case req.Schedule != nil && req.Schedule.Runs > 0:
		return d.explore(req)
	}
	d.note(req)
	return d.candidate.once(b, req.Schedule), nil
}

// abandon is for before there is another one: even if that is refused, no call may reach this one.
func (d *Driver) abandon() {
	if d.candidate != nil {
		d.candidate.abandon()
		d.candidate = nil
	}
}

func (d *Driver) make(req Request) (any, *failure) {
	d.abandon()
	make, ok := d.Impls[req.Impl]
	if !ok {
		return nil, unsupported("impl " + req.Impl)
	}
	if family := req.Options.IPFamily; family != "" && family != "IPv4" && family != "IPv6" {
		return nil, senseless("ip_family " + family)
	}
	passive := slices.Contains(d.Passive, req.Impl)
	controlled := d.controls() && !passive && (req.Control == nil || *req.Control)
	d.candidate = crew(d.Ops, func() Candidate { return make(req.Options) }, controlled)
	d.candidate.passive = passive
	d.made, d.asked = req, nil
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
	case c.passive:
		val, bad := c.call(req)
		answer(req.ID, val, bad)
	default:
		d.note(req)
		c.ask(req, func(val any, bad *failure) { answer(req.ID, val, bad) })
	}
}

// ask has a call made, and its answer heard unless nobody waits for it any more. Under control nobody goes on by himself.
func (c *crewed) ask(req Request, hear func(val any, bad *failure)) {
	c.inLane(*req.Lane, func() {
		if val, bad := c.call(req); !c.abandoned.Load() {
			hear(val, bad)
		}
	})
	if c.run != nil {
		c.run.Settle()
	}
}

func now() clock { return clock{NowNS: time.Now().UnixNano()} }

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
	can := capabilities{
		VirtualClock: true, Settle: true, Burst: true, Step: len(d.Passive) > 0, Meanwhile: d.Meanwhile, ResolutionNS: 1,
	}
	if d.controls() {
		can.Schedules = &schedules{
			By: []string{"choices", "seed"}, Points: sched.Points(), Packages: sched.Packages(),
			Uncontrolled: append([]string{}, sched.Uncontrolled()...), Footprints: true,
		}
	}
	return can
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
	if d.Module == "" {
		return ""
	}
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
