package sched

import (
	"cmp"
	"slices"
)

// Strategy chooses who goes on, of those that are ready, and which of n ready cases a select takes.
type Strategy interface {
	Next(ready []*G, before *G) *G
	Way(n int) int
}

// Fair has everybody go on as long as they can, and then whoever has waited longest.
type Fair struct{}

func (Fair) Next(ready []*G, before *G) *G {
	if slices.Contains(ready, before) {
		return before
	}
	return waitedLongest(ready)
}

func (Fair) Way(int) int { return 0 }

func waitedLongest(ready []*G) *G {
	return slices.MinFunc(ready, func(a, b *G) int { return cmp.Compare(a.turned, b.turned) })
}

// Rotating has whoever has waited longest take one step, and each way of a select its turn: a loop that goes on until another
// way is taken comes to its end, as it does where they are drawn by lot.
type Rotating struct{ ways int }

func (*Rotating) Next(ready []*G, _ *G) *G { return waitedLongest(ready) }

func (s *Rotating) Way(n int) int {
	s.ways++
	return s.ways % n
}

// dice draw numbers by SplitMix64, of Steele, Lea and Flood. They are not those of math/rand, because the candidate's goroutines draw
// from them, too, and the race detector looks into that package.
type dice struct{ state uint64 }

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	drawn := d.state
	drawn = (drawn ^ drawn>>30) * 0xbf58476d1ce4e5b9
	drawn = (drawn ^ drawn>>27) * 0x94d049bb133111eb
	return drawn ^ drawn>>31
}

func (d *dice) IntN(n int) int   { return int(d.next() % uint64(n)) }
func (d *dice) Float64() float64 { return float64(d.next()>>11) / (1 << 53) }

// Random has anybody go on, at every step.
type Random struct{ dice *dice }

func NewRandom(seed uint64) Random { return Random{&dice{seed}} }

func (s Random) Next(ready []*G, _ *G) *G { return ready[s.dice.IntN(len(ready))] }
func (s Random) Way(n int) int            { return s.dice.IntN(n) }

// Sparse has somebody else go on now and then: so often, where there are that many steps.
type Sparse struct {
	dice   *dice
	chance float64
}

func NewSparse(seed uint64, interruptions float64, steps int) Sparse {
	return Sparse{&dice{seed}, interruptions / float64(max(steps, 1))}
}

func (s Sparse) Next(ready []*G, before *G) *G {
	if slices.Contains(ready, before) && s.dice.Float64() >= s.chance {
		return before
	}
	return ready[s.dice.IntN(len(ready))]
}

func (s Sparse) Way(n int) int {
	if s.dice.Float64() >= s.chance {
		return 0
	}
	return s.dice.IntN(n)
}

// PCT has the one with the highest priority go on, and lowers it at a few steps drawn beforehand: probabilistic concurrency
// testing, by Burckhardt and others.
type PCT struct {
	dice     *dice
	priority map[*G]float64
	lowers   map[int]float64
	step     int
}

func NewPCT(seed uint64, depth, steps int) *PCT {
	s := &PCT{dice: &dice{seed}, priority: map[*G]float64{}, lowers: map[int]float64{}}
	for n := range depth - 1 {
		s.lowers[s.dice.IntN(max(steps, 1))] = -float64(n)
	}
	return s
}

func (s *PCT) Next(ready []*G, _ *G) *G {
	for _, g := range ready {
		if _, drawn := s.priority[g]; !drawn {
			s.priority[g] = 1 + s.dice.Float64()
		}
	}
	if lower, here := s.lowers[s.step]; here {
		s.priority[s.highest(ready)] = lower
	}
	s.step++
	return s.highest(ready)
}

func (s *PCT) highest(ready []*G) *G {
	return slices.MaxFunc(ready, func(a, b *G) int { return cmp.Compare(s.priority[a], s.priority[b]) })
}

func (s *PCT) Way(n int) int { return s.dice.IntN(n) }

// Replay takes turns that were taken before, as far as they are possible, and goes on the fair way.
type Replay struct {
	Fair
	turns []Turn
	left  int // steps of the turn under way; -1 for as many as there are
	who   string
}

func NewReplay(turns []Turn) *Replay { return &Replay{turns: turns} }

func (s *Replay) Next(ready []*G, before *G) *G {
	if g := named(ready, s.who); g != nil && s.left != 0 {
		s.left--
		return g
	}
	for len(s.turns) > 0 {
		turn := s.turns[0]
		s.turns = s.turns[1:]
		if g := named(ready, turn.Who); g != nil {
			s.who, s.left = turn.Who, turn.Steps-1
			return g
		}
	}
	s.who = ""
	return s.Fair.Next(ready, before)
}

func (s *Replay) Way(n int) int {
	if len(s.turns) == 0 || s.turns[0].Who != Way {
		return 0
	}
	way := s.turns[0].Steps
	s.turns = s.turns[1:]
	return min(way, n-1)
}

func named(ready []*G, name string) *G {
	if at := slices.IndexFunc(ready, func(g *G) bool { return g.Name == name }); at >= 0 && name != "" {
		return ready[at]
	}
	return nil
}
