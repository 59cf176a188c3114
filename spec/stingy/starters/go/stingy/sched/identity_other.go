//go:build !amd64 && !arm64

package sched

import "runtime"

// identity is which goroutine asks: the number that the runtime gives it, which takes a microsecond to find out.
func identity() (id uintptr) {
	var text [40]byte
	for _, digit := range text[len("goroutine "):runtime.Stack(text[:], false)] {
		if digit < '0' || digit > '9' {
			break
		}
		id = id*10 + uintptr(digit-'0')
	}
	return id
}
