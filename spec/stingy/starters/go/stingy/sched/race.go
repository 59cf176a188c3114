//go:build race

package sched

import (
	"runtime"
	"slices"
	"unsafe"
)

// The race detector is to see what the candidate does to keep its goroutines apart, and not that only one of them goes on at a
// time. So this package is compiled without it, and how turns are handed on is hidden from it; whoever runs the race has seen
// all when it is over.

func hide() { runtime.RaceDisable() }
func show() { runtime.RaceEnable() }

func (r *Run) leaves()  { runtime.RaceReleaseMerge(unsafe.Pointer(&r.seen)) }
func (r *Run) gathers() { runtime.RaceAcquire(unsafe.Pointer(&r.seen)) }

// looks has whoever runs the race see, while that is hidden from the detector, what goroutines have done until they parked: to find
// out who can go on, it touches their locks. Nobody learns of it, for turns are handed on in secret.
func (r *Run) looks() {
	show()
	r.gathers()
	hide()
}

// numbers from 1, one for each thing. It is no map, for the race detector looks into those wherever they are used.
type numbers struct {
	known []any // of which the last has the last number
	last  int
}

func (n *numbers) number(thing any) int {
	if at := slices.Index(n.known, thing); at >= 0 {
		return n.last - len(n.known) + at + 1
	}
	n.last++
	n.known = append(n.known, thing)
	return n.last
}

func (n *numbers) size() int { return len(n.known) }
func (n *numbers) forget()   { n.known = nil }
