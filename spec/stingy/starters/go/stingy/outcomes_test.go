package driver

import (
	"slices"
	"testing"

	"stingy.invalid/driver/sched"
)

// went is a burst of two calls, of lanes a and b, with these stamps; an end of 0 is none. Its number is that of its turns.
func went(number int, startA, endA, startB, endB int64) history {
	made := func(lane string, start, end int64) *call {
		c := &call{Lane: lane, Op: "len", Val: 1, Start: start}
		if end > 0 {
			c.End = &end
		}
		return c
	}
	calls := []*call{made("b", startB, endB), made("a", startA, endA)}
	return history{calls, &course{Choices: []choice{{Who: "a", Steps: number}}}}
}

// numbers are those of the bursts that are told.
func numbers(seen *outcomes, most int) (told []int) {
	for _, each := range seen.told(most) {
		told = append(told, each.Choices[0].Steps)
	}
	return told
}

func TestOfCallsThatCameToTheSameTheOneWithMoreInOrderIsTold(t *testing.T) {
	atOnce, aFirst, bFirst := went(1, 1, 4, 2, 3), went(2, 1, 2, 3, 4), went(3, 3, 4, 1, 2)
	for _, each := range []struct {
		came []history
		told []int
	}{
		{[]history{atOnce, aFirst}, []int{2}},
		{[]history{aFirst, atOnce}, []int{2}},
		{[]history{aFirst, went(4, 11, 12, 13, 14)}, []int{2}},
		{[]history{aFirst, atOnce, bFirst, aFirst}, []int{2, 3}},
		{[]history{went(5, 1, 2, 3, 0), aFirst}, []int{5, 2}},
		{[]history{went(6, 1, 0, 2, 3), went(7, 4, 0, 2, 3)}, []int{7}},
	} {
		seen := &outcomes{}
		for _, one := range each.came {
			seen.add(one, nil, nil)
		}
		if told := numbers(seen, 10); !slices.Equal(told, each.told) {
			t.Errorf("%v are told, and not %v", told, each.told)
		}
	}
}

func TestWhatDiffersInAnythingButStampsIsAnotherOutcome(t *testing.T) {
	seen := &outcomes{}
	item := "x"
	others := []func(history){
		func(h history) {},
		func(h history) { h.Calls[0].Val = 2 },
		func(h history) { h.Calls[0].Op = "get" },
		func(h history) { h.Calls[0].Lane = "c" },
		func(h history) { h.Calls[0].Item = &item },
		func(h history) { h.Calls[0].Error = raised("no") },
		func(h history) { h.Calls[0].End = nil },
		func(h history) { h.Waiting = []sched.Waits{{Who: "a"}} },
	}
	for n, other := range others {
		made := went(n+1, 1, 2, 3, 4)
		other(made)
		seen.add(made, nil, nil)
	}
	seen.add(went(20, 1, 2, 3, 4), []any{"len", 1}, nil)
	seen.add(went(21, 1, 2, 3, 4), nil, raised("no"))
	if told := numbers(seen, 100); len(told) != len(others)+2 {
		t.Errorf("%d are told apart: %v", len(told), told)
	}
}

func TestWhoIsLeftWithALockIsToldFirstAndThenTheRarest(t *testing.T) {
	seen := &outcomes{}
	often, rare, left := went(1, 1, 2, 3, 4), went(2, 1, 2, 3, 4), went(3, 1, 2, 3, 4)
	rare.Calls[0].Val = 2
	left.Calls[0].Val = 3
	left.Waiting = []sched.Waits{{Who: "a", Holds: []sched.Spot{{}}}}
	for _, each := range []history{often, often, left, left, left, rare, went(4, 3, 4, 1, 2)} {
		seen.add(each, nil, nil)
	}
	if told := numbers(seen, 10); !slices.Equal(told, []int{3, 2, 1, 4}) {
		t.Errorf("%v are told", told)
	}
	if told := numbers(seen, 2); !slices.Equal(told, []int{3, 2}) {
		t.Errorf("%v are told, where two are asked for", told)
	}
}
