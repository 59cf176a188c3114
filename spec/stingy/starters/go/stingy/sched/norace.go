//go:build !race

package sched

func hide() {}
func show() {}

func (r *Run) leaves()  {}
func (r *Run) gathers() {}
