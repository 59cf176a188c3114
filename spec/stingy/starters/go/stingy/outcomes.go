package driver

import (
	"cmp"
	"encoding/json"
	"slices"
)

// outcomes are the different ways in which a burst went: what its calls answered, where everybody stood, and what was found
// in the end. Of those that are alike in that, it is of account which calls were over before which began; a history with
// fewer of those is left out, for whatever it shows, one with more does.
type outcomes struct {
	by map[string]*outcome
}

type outcome struct {
	times   int
	number  int
	ordered []ordered
}

type ordered struct {
	history
	before []bool // for each pair of calls, whether the one was over before the other began
	pairs  int
}

func (o *outcomes) add(told history, then []any, bad *failure) {
	if o.by == nil {
		o.by = map[string]*outcome{}
	}
	calls := slices.Clone(told.Calls)
	slices.SortStableFunc(calls, func(a, b *call) int { return cmp.Compare(a.Lane, b.Lane) })
	key := o.key(calls, told, then, bad)
	its := o.by[key]
	if its == nil {
		its = &outcome{number: len(o.by)}
		o.by[key] = its
	}
	its.times++
	its.add(newOrdered(told, calls))
}

// key tells all but the stamps.
func (o *outcomes) key(calls []*call, told history, then []any, bad *failure) string {
	parts := []any{then, bad, told.Waiting}
	for _, c := range calls {
		parts = append(parts, c.Lane, c.Op, c.Item, c.Val, c.Error, c.End == nil)
	}
	key, err := json.Marshal(parts)
	if err != nil {
		panic(err)
	}
	return string(key)
}

func newOrdered(told history, calls []*call) ordered {
	o := ordered{history: told}
	for _, a := range calls {
		for _, b := range calls {
			before := a.End != nil && *a.End < b.Start
			o.before = append(o.before, before)
			if before {
				o.pairs++
			}
		}
	}
	return o
}

func (o *outcome) add(new ordered) {
	for _, had := range o.ordered {
		if had.covers(new) {
			return
		}
	}
	o.ordered = append(slices.DeleteFunc(o.ordered, new.covers), new)
}

// locked is how many are left with a lock in hand.
func (o *outcome) locked() (count int) {
	for _, waits := range o.ordered[0].Waiting {
		if len(waits.Holds) > 0 {
			count++
		}
	}
	return count
}

// covers is whether all that is ordered in the other one is ordered so in this one.
func (o ordered) covers(other ordered) bool {
	if o.pairs < other.pairs {
		return false
	}
	for i, before := range other.before {
		if before && !o.before[i] {
			return false
		}
	}
	return true
}

// told is so many of them: of each outcome, first those in which somebody is left with a lock in hand, then the rarest, one
// with most in order, then of each the next.
func (o *outcomes) told(most int) []history {
	all := []*outcome{}
	for _, its := range o.by {
		slices.SortStableFunc(its.ordered, func(a, b ordered) int { return cmp.Compare(b.pairs, a.pairs) })
		all = append(all, its)
	}
	slices.SortFunc(all, func(a, b *outcome) int {
		return cmp.Or(cmp.Compare(b.locked(), a.locked()), cmp.Compare(a.times, b.times), cmp.Compare(a.number, b.number))
	})
	told := []history{}
	for round := 0; ; round++ {
		left := false
		for _, its := range all {
			if round < len(its.ordered) && len(told) < most {
				told = append(told, its.ordered[round].history)
				left = true
			}
		}
		if !left {
			return told
		}
	}
}
