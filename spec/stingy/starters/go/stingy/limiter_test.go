package driver

import (
	"slices"
	"testing"
	"time"
)

func TestAScriptedLimiterSaysWhatItIsTold(t *testing.T) {
	l := NewScripted[string](Script{Delays: []time.Duration{3, 1, 2}})
	said := []time.Duration{}
	for range 5 {
		said = append(said, l.When("a"))
	}
	if !slices.Equal(said, []time.Duration{3, 1, 2, 2, 2}) {
		t.Error("it says ", said)
	}
	if l.When("b") != 3 || l.NumRequeues("a") != 5 || l.NumRequeues("b") != 1 || l.NumRequeues("c") != 0 {
		t.Error("one item's failures are another's")
	}
	if l.Forget("a"); l.NumRequeues("a") != 0 || l.NumRequeues("b") != 1 || l.When("a") != 3 {
		t.Error("what is forgotten begins anew, and nothing else does")
	}
}

func TestAScriptedLimiterWithoutDelaysLetsNothingWait(t *testing.T) {
	if l := NewScripted[string](Script{}); l.When("a") != 0 || l.NumRequeues("a") != 1 {
		t.Error("it waits, or does not count")
	}
}

func TestAScriptedLimiterCountsUnlessItIsToldNotTo(t *testing.T) {
	for _, counts := range []bool{true, false} {
		l := NewScripted[string](Script{Delays: []time.Duration{1, 2}, Counts: &counts})
		if first, second := l.When("a"), l.When("a"); first != 1 || second != 2 || (l.NumRequeues("a") == 2) != counts {
			t.Error("it says ", first, second, l.NumRequeues("a"))
		}
	}
}
