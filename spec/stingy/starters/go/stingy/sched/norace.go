//go:build !race

package sched

func hide() {}
func show() {}

func (r *Run) leaves()  {}
func (r *Run) gathers() {}
func (r *Run) looks()   {}

// numbers from 1, one for each thing.
type numbers struct {
	known map[any]int
	last  int
}

func (n *numbers) number(thing any) int {
	known := n.known[thing]
	if known == 0 {
		if n.known == nil {
			n.known = map[any]int{}
		}
		n.last++
		known = n.last
		n.known[thing] = known
	}
	return known
}

func (n *numbers) size() int { return len(n.known) }
func (n *numbers) forget()   { clear(n.known) }
