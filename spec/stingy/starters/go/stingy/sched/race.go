//go:build race

package sched

import (
	"runtime"
	"unsafe"
)

// The race detector is to see what the candidate does to keep its goroutines apart, and not that only one of them goes on at a
// time. So this package is compiled without it, and how turns are handed on is hidden from it; whoever runs the race has seen
// all when it is over.

func hide() { runtime.RaceDisable() }
func show() { runtime.RaceEnable() }

func (r *Run) leaves()  { runtime.RaceReleaseMerge(unsafe.Pointer(&r.seen)) }
func (r *Run) gathers() { runtime.RaceAcquire(unsafe.Pointer(&r.seen)) }
