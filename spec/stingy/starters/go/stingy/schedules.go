package driver

import (
	"encoding/json"
	"flag"
	"slices"

	"stingy.invalid/driver/sched"
)

// schedule says in which order a burst is to be run, or in which orders.
type schedule struct {
	Choices       []choice            `json:"choices"`       // turns, the ways of an earlier run; or else
	Strategy      string              `json:"strategy"`      // "random", "pct", "sparse", or "fair", by …
	Seed          uint64              `json:"seed"`          //
	Interruptions float64             `json:"interruptions"` // for "sparse": about so many
	Aloud         bool                `json:"aloud"`         // whether the trail is wanted
	Footprints    bool                `json:"footprints"`    // whether they are
	Runs          int                 `json:"runs"`          // so often, each time with a candidate that has been through the same
	Most          int                 `json:"most"`          // so many histories are told
	Then          [][]json.RawMessage `json:"then"`          // what is done in the end, to see in which state the candidate is
}

// choice is a turn as the runner knows it: who, and after how many steps somebody else goes on; null for whoever cannot.
type choice sched.Turn

func (c choice) MarshalJSON() ([]byte, error) {
	if c.Steps == 0 {
		return json.Marshal([]any{c.Who, nil})
	}
	return json.Marshal([]any{c.Who, c.Steps})
}

func (c *choice) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&c.Who, &c.Steps})
}

// course is how a burst has gone.
type course struct {
	Choices []choice      `json:"choices"`
	Trail   []sched.Turn  `json:"trail,omitempty"`
	Waiting []sched.Waits `json:"waiting,omitempty"`

	Footprints *sched.Footprints `json:"footprints,omitempty"`
	Left       []any             `json:"left,omitempty"`

	Histories []history `json:"histories,omitempty"`
	Runs      int       `json:"runs,omitempty"`
}

// controls is whether candidates are under control unless that is asked not to be.
func (d *Driver) controls() bool {
	return len(sched.Packages()) > 0 && !*inRealTime && !*uncontrolled
}

var uncontrolled = flag.Bool("uncontrolled", false, "leave the order of goroutines to the runtime, though they could be under control")

// once runs a burst with the candidate that is there.
func (c *crewed) once(b *burst, how *schedule) history {
	if how == nil {
		how = &schedule{Strategy: "random", Seed: uint64(b.seed)}
		if len(b.lanes) == 1 {
			how.Strategy = "fair"
		}
	}
	return c.controlled(b, how.strategy(0, 0), how)
}

// usual is how many steps a race is taken to have of which nothing is known.
const usual = 60

// strategy is the one for a run of this number, where the one before had so many steps.
func (s *schedule) strategy(number uint64, steps int) sched.Strategy {
	if steps == 0 {
		steps = usual
	}
	seed := s.Seed + number
	switch {
	case len(s.Choices) > 0:
		turns := []sched.Turn{}
		for _, c := range s.Choices {
			turns = append(turns, sched.Turn(c))
		}
		return sched.NewReplay(turns)
	case s.Strategy == "random":
		return sched.NewRandom(seed)
	case s.Strategy == "pct":
		return sched.NewPCT(seed, 3, steps)
	case s.Strategy == "sparse":
		return sched.NewSparse(seed, s.Interruptions, steps)
	}
	return sched.Fair{}
}

// explore runs a burst many times, each time with a fresh candidate that has been asked the same as this one, and tells
// what came of it, each history once. In the end there is a candidate again that has not run it.
func (d *Driver) explore(req Request) (any, *failure) {
	how := req.Schedule
	seen := &outcomes{}
	b, bad := d.candidate.burst(req)
	if bad != nil {
		return nil, bad
	}
	then := d.candidate.sensible(how.Then)
	runs, steps := 0, 0
	for ; runs < how.Runs; runs++ {
		if runs > 0 { // the one that is there has been asked nothing else
			if bad := d.again(); bad != nil {
				return nil, bad
			}
			if bad := d.candidate.awaits(b); bad != nil {
				return nil, bad
			}
		}
		before := d.candidate.run.Steps()
		told := d.candidate.controlled(b, how.strategy(uint64(runs), steps), how)
		steps = d.candidate.run.Steps() - before
		left := d.candidate.then(then)
		if how.Footprints {
			told.Left = left
		}
		seen.add(told, left, d.candidate.trouble())
	}
	if bad := d.again(); bad != nil {
		return nil, bad
	}
	return history{[]*call{}, &course{Choices: []choice{}, Histories: seen.told(how.Most), Runs: runs}}, nil
}

// again makes the candidate anew, and asks of it what has been asked.
func (d *Driver) again() (bad *failure) {
	made, asked := d.made, d.asked
	if _, bad = d.make(made); bad != nil {
		return bad
	}
	for _, req := range asked {
		switch req.Op {
		case "advance":
			d.candidate.advance(req.NS)
		case "burst":
			b, bad := d.candidate.burst(req)
			if bad != nil {
				return bad
			}
			d.candidate.once(b, req.Schedule)
		default:
			d.candidate.ask(req, func(any, *failure) {})
		}
	}
	d.asked = asked
	return nil
}

// note keeps in mind what is asked of a candidate under control.
func (d *Driver) note(req Request) {
	if d.candidate != nil && d.candidate.run != nil {
		d.asked = append(d.asked, req)
	}
}

// sensible are the calls that these steps ask for, but for those that make no sense.
func (c *crewed) sensible(steps [][]json.RawMessage) (calls []Request) {
	for _, written := range steps {
		if req, bad := c.step(written); bad == nil {
			calls = append(calls, req)
		}
	}
	return calls
}

// then makes calls one after the other, as far as they return, and tells what they answer.
func (c *crewed) then(calls []Request) (answers []any) {
	c.inLane("then", func() {
		var held *string
		for _, req := range calls {
			if req.Item == nil {
				req.Item = held
			}
			if takesItem(req.Op) && req.Item == nil {
				continue
			}
			answers = append(answers, req.Op)
			val, bad := c.call(req)
			answers = append(answers, val, bad)
			if got, ok := val.(handout); ok {
				held, _ = got.delivered()
			}
		}
	})
	c.settle()
	return slices.Clone(answers)
}
