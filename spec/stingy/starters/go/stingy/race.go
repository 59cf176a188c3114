//go:build race

package driver

import "runtime"

// unseen leaves no trace for the race detector. It would take what the driver does by itself, as the drawing of stamps, for what
// keeps two calls apart, and miss that the candidate does not.
func unseen(what func()) {
	runtime.RaceDisable()
	defer runtime.RaceEnable()
	what()
}
