// Package old is in a language without generics, in which a loop has one variable for all its rounds.
package old

import "sync"

func Loop() int {
	var mu sync.Mutex
	last, calls := 0, make(chan func(), 3)
	for i := 0; i < 3; i++ {
		calls <- func() { mu.Lock(); last = i; mu.Unlock() }
	}
	close(calls)
	for call := range calls {
		call()
	}
	return last
}
