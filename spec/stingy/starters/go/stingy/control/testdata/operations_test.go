package testdata

import (
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"stingy.invalid/driver/sched"
	"stingy.invalid/old"
	"stingy.invalid/sample/operations"
)

var places = regexp.MustCompile(`^(operations|old|constrained)\.go:\d+$`)

func TestTheyDoInEveryOrderWhatTheyDidBefore(t *testing.T) {
	if len(sched.Packages()) != 2 || len(sched.Uncontrolled()) != 2 {
		t.Fatal("under control:", sched.Packages(), "and not:", sched.Uncontrolled())
	}
	for name, test := range map[string]struct {
		run func() int
		due int
	}{
		"locks": {operations.Locks, 4}, "channels": {operations.Channels, 19}, "others": {operations.Others, 3}, "times": {operations.Times, 6},
		"an old loop": {old.Loop, 3}, "an old channel": {old.Sends, 7},
	} {
		for seed := range uint64(50) {
			synctest.Test(t, func(t *testing.T) {
				r := sched.Begin()
				had := 0
				r.Go("lane", func() { had = test.run() })
				turns := r.Race(sched.NewRandom(seed), time.Minute, func() int64 { return 0 })
				if had != test.due || r.Trouble != nil {
					t.Errorf("%s: %d; due: %d; trouble: %v; waiting: %v", name, had, test.due, r.Trouble, r.Waiting())
				}
				for _, turn := range turns {
					if rest := turn.Rest; rest != nil && rest.At != "" && !places.MatchString(rest.At) {
						t.Errorf("%v is no place", rest)
					}
				}
				r.End()
			})
		}
	}
}
