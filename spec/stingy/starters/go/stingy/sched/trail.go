package sched

// Turn is that a goroutine goes on, for so many steps or, where these are 0, until it cannot; or, with the name Way, that a
// select of which several cases are ready passes over so many of them.
type Turn struct {
	Who   string   `json:"who"`
	Steps int      `json:"steps,omitempty"`
	Of    []string `json:"of,omitempty"`   // who else could have gone on
	Rest  *Rest    `json:"rest,omitempty"` // where it stands then, unless it is at its end
}

// Way is the name of a turn that is none. It comes after the turn in which it is.
const Way = "select"

// Rest is where a goroutine stands when its turn is over.
type Rest struct {
	Spot
	For   string `json:"for"`   // what it waits for; empty for nobody knows what
	Cut   bool   `json:"cut"`   // it could have gone on
	Stamp int64  `json:"stamp"` // that it follows
}

// trail is the turns of a race as they are taken.
type trail struct {
	turns []Turn
	open  int // where the turn under way is
	took  int // its steps
	who   *G
	stamp func() int64 // nil where nobody asks for more than the turns

	footprints *Footprints // nil where nobody asks for them
}

func (t *trail) step(g, before *G, ready []*G) {
	if g == before && t.who == g {
		t.took++
		return
	}
	turn := Turn{Who: g.Name}
	for _, other := range ready {
		if other != g && t.stamp != nil {
			turn.Of = append(turn.Of, other.Name)
		}
	}
	t.open, t.took, t.who = len(t.turns), 1, g
	t.turns = append(t.turns, turn)
}

func (t *trail) way(n int) { t.turns = append(t.turns, Turn{Who: Way, Steps: n}) }

func (t *trail) rest(g *G) {
	if t.who != g {
		return
	}
	turn := &t.turns[t.open]
	if g.ready() {
		turn.Steps = t.took
	}
	if g.state != over && t.stamp != nil {
		turn.Rest = &Rest{Spot: g.spot(), Cut: turn.Steps > 0, Stamp: t.stamp()}
		if !turn.Rest.Cut {
			turn.Rest.For = g.waitsFor()
		}
	}
	t.who = nil
}

func (t *trail) told() []Turn { return append([]Turn{}, t.turns...) }
