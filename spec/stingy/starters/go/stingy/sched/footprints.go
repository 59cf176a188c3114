package sched

import (
	"reflect"
	"slices"
	"time"
)

// Footprints is what each step of a race had to do with, for whoever wants to know which steps could as well have come the other
// way round.
type Footprints struct {
	Steps []Step         `json:"steps"`
	Wants map[string]int `json:"wants"` // the thing that somebody waits for in the end
	Exact bool           `json:"exact"` // the same turns lead to the same steps, and all that lanes meet in was seen
	Known int            `json:"known"` // up to this, things have the same numbers in every run

	run    *Run
	tried  []int // locks that somebody has tried to take, who would not have waited
	up     []*G  // who could go on, but for a lock, before the step under way
	passed bool  // time, since the last one
}

// Step is that somebody goes on, from one point to the next. Things have numbers, from 1.
type Step struct {
	Who      string   `json:"who"`
	Of       []string `json:"of,omitempty"`       // who else could have gone on
	Reads    []int    `json:"reads,omitempty"`    // in any order with others who read
	Writes   []int    `json:"writes,omitempty"`   //
	Releases []int    `json:"releases,omitempty"` // locks: whoever takes one next comes after this step
	Joins    []int    `json:"joins,omitempty"`    // lines, at whose ends it does not matter who comes first …
	Serves   []int    `json:"serves,omitempty"`   // … unless one was served in which several waited
	Way      int      `json:"way,omitempty"`      // so many ready cases of a select were passed over …
	Ways     int      `json:"ways,omitempty"`     // … of so many
	Wakes    []string `json:"wakes,omitempty"`    // who had to wait for this step, or begins by it
	Begins   bool     `json:"begins,omitempty"`   // a call of a lane does
	Ends     bool     `json:"ends,omitempty"`     // one does
	Late     bool     `json:"late,omitempty"`     // time has passed before
}

func newFootprints(r *Run) *Footprints {
	return &Footprints{Steps: []Step{}, Wants: map[string]int{}, Exact: true, Known: r.things.last, run: r}
}

// number is the same for the same thing, and 0 for what cannot be told from others.
func (r *Run) number(thing any) int {
	switch its := thing.(type) {
	case channel:
		thing = its.address // it may be seen as one that only sends
	case line:
	default:
		v := reflect.ValueOf(thing)
		switch v.Kind() {
		case reflect.Invalid, reflect.Func:
			return 0
		case reflect.Pointer, reflect.UnsafePointer:
			thing = v.UnsafePointer() // which also keeps it, so that nothing else comes to lie there
		}
	}
	return r.things.number(thing)
}

func (f *Footprints) step(g *G, ready []*G) {
	if f == nil {
		return
	}
	step := Step{Who: g.Name, Late: f.passed}
	for _, other := range ready {
		if other != g {
			step.Of = append(step.Of, other.Name)
		}
	}
	f.Steps, f.passed, f.up = append(f.Steps, step), false, nil
	for _, other := range g.run.all() {
		if other.isUp() {
			f.up = append(f.up, other)
		}
	}
}

// last is the step under way.
func (f *Footprints) last() *Step { return &f.Steps[len(f.Steps)-1] }

// over is told when a step has been taken.
func (f *Footprints) over(r *Run) {
	if f == nil {
		return
	}
	for _, g := range r.all() {
		if g.state == elsewhere {
			f.Exact = false
		}
		if len(f.Steps) > 0 && !f.passed && g != r.running && g.isUp() && !slices.Contains(f.up, g) {
			f.last().Wakes = append(f.last().Wakes, g.Name)
		}
	}
}

// later is told that time has passed.
func (f *Footprints) later() {
	if f != nil {
		f.passed = true
	}
}

func (f *Footprints) ends(r *Run) {
	if f == nil {
		return
	}
	for _, g := range r.all() {
		if g.isUp() && g.want != nil {
			f.Wants[g.Name] = r.number(g.want.thing())
		}
	}
	for n := range f.Steps {
		f.Steps[n].frees(f.tried)
	}
}

// frees notes that a step that frees one of these locks changes it: who only tries to take it can come before, too.
func (s *Step) frees(tried []int) {
	for _, number := range s.Releases {
		if slices.Contains(tried, number) && !slices.Contains(s.Writes, number) {
			s.Writes = append(s.Writes, number)
		}
	}
}

// isUp is whether it can go on, but perhaps for a lock.
func (g *G) isUp() bool { return g.state == parked && g.cond == nil }

// Begins and Ends are told by a lane around each call.
func Begins() { notes(func(s *Step) { s.Begins = true }) }
func Ends() {
	if g := me(""); g != nil {
		g.run.returned = time.Now().UnixNano()
	}
	notes(func(s *Step) { s.Ends = true })
}

func notes(what func(*Step)) {
	if f := me("").footprints(); f != nil {
		what(f.last())
	}
}

// chooses is told which of the ready cases of a select is taken.
func (f *Footprints) chooses(way, ways int) {
	if f != nil {
		f.last().Way, f.last().Ways = way, ways
	}
}

// tries notes that the step takes a lock or sees that it is taken.
func (g *G) tries(thing any) {
	g.writes(thing)
	if f := g.footprints(); f != nil {
		f.tried = append(f.tried, f.run.number(thing))
	}
}

// comes is told who has been let go on by a step, or as time has passed: he stands in no line any more.
func (f *Footprints) comes(g *G) {
	if f == nil {
		return
	}
	if f.passed {
		if slices.ContainsFunc(f.run.readyOf(g.line), func(n int) bool { return n != g.chosen }) {
			f.Exact = false // two timers at the same moment: the runtime has chosen
		}
		return
	}
	if len(f.Steps) == 0 {
		return
	}
	step := f.last()
	for n, c := range g.line {
		ch := c.channel()
		switch {
		case ch.address == nil:
		case n == g.chosen:
			f.note(ch, &step.Writes)
		case c.receives():
			f.note(ch.receivers(), &step.Joins)
		default:
			f.note(ch.senders(), &step.Writes)
		}
	}
}

// reads, writes, releases, joins and serves note what the step under way has to do with.
func (g *G) reads(thing any)    { g.note(thing, func(s *Step) *[]int { return &s.Reads }) }
func (g *G) writes(thing any)   { g.note(thing, func(s *Step) *[]int { return &s.Writes }) }
func (g *G) releases(thing any) { g.note(thing, func(s *Step) *[]int { return &s.Releases }) }
func (g *G) joins(thing any)    { g.note(thing, func(s *Step) *[]int { return &s.Joins }) }
func (g *G) serves(thing any)   { g.note(thing, func(s *Step) *[]int { return &s.Serves }) }

// Reads and Writes say that the step under way looks at, or changes, what stands around a candidate and has no points of its own: a
// test double, which all that call it share.
func Reads(thing any)  { meets(thing, (*G).reads) }
func Writes(thing any) { meets(thing, (*G).writes) }

func meets(thing any, how func(*G, any)) {
	if g := me(""); g != nil {
		how(g, thing)
	}
}

func (g *G) note(thing any, of func(*Step) *[]int) {
	if f := g.footprints(); f != nil {
		f.note(thing, of(f.last()))
	} else if g.run.trail == nil && g.run.running == g {
		if g.run.things.size() >= enough {
			g.run.things.forget()
		}
		g.run.number(thing) // before a race, so that it has the same one in every run of it
	}
}

// enough is how many things are kept before a race: a candidate that looks at a clock for a month meets in a new timer each time.
const enough = 4096

func (f *Footprints) note(thing any, numbers *[]int) {
	number := f.run.number(thing)
	switch {
	case number == 0:
		f.Exact = false
	case !slices.Contains(*numbers, number):
		*numbers = append(*numbers, number)
	}
}

// blurs says that the same turns may lead somewhere else, or that something is not seen.
func (g *G) blurs() {
	if f := g.footprints(); f != nil {
		f.Exact = false
	}
}

// footprints of the race under way, if they are wanted, and this one is whose step it is.
func (g *G) footprints() *Footprints {
	if g == nil || g.run.running != g || g.ends {
		return nil
	}
	return g.run.footprints()
}
