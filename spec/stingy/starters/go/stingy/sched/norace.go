//go:build !race

package sched

func hide() {}
func show() {}

func (r *Run) leaves()  {}
func (r *Run) gathers() {}

// numbers from 1, one for each thing.
type numbers struct{ known map[any]int }

func (n *numbers) count() int { return len(n.known) }

func (n *numbers) number(thing any) int {
	if n.known == nil {
		n.known = map[any]int{}
	}
	if n.known[thing] == 0 {
		n.known[thing] = len(n.known) + 1
	}
	return n.known[thing]
}
