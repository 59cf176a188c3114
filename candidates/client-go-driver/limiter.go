package clientgo

import (
	"time"

	"stingy.invalid/driver"
)

// Limiter is a rate limiter for strings.
type Limiter interface {
	When(item string) time.Duration
	Forget(item string)
	NumRequeues(item string) int
}

// When holds the op of a rate limiter that a queue's own do not have.
var When = driver.Ops{
	"when": driver.OnItem(func(l Limiter, item string, _ driver.Request) any { return l.When(item) }),
}

// ByItself makes a candidate of a rate limiter that no queue asks.
func ByItself[L Limiter](make func(driver.Options) L) func(driver.Options) driver.Candidate {
	return func(options driver.Options) driver.Candidate {
		return driver.Candidate{Parts: []any{make(options)}, End: func() {}}
	}
}
