package sched

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// at is a place as the rewriter writes it down.
func at(line int, in string) Place {
	return strings.Join([]string{fmt.Sprint("test.go:", line), in, "op", "the line"}, Between)
}

// played runs lanes under control in a bubble of their own, and hands the run to whoever looks at it before it ends.
func played(t *testing.T, strategy Strategy, lanes map[string]func(), look func(r *Run, turns []Turn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { playedHere(t, strategy, lanes, look) })
}

// playedHere does so in the bubble of who asks, in which all that bubbles see has to be made.
func playedHere(t *testing.T, strategy Strategy, lanes map[string]func(), look func(r *Run, turns []Turn)) {
	t.Helper()
	r := Begin()
	for _, name := range slices.Sorted(maps.Keys(lanes)) {
		r.Go(name, lanes[name])
	}
	turns := r.Race(strategy, 0, func() int64 { return 0 })
	look(r, turns)
	r.End()
	if Current() != nil {
		t.Error("a run that has ended is still under way")
	}
}

func all(r *Run, turns []Turn) {}

// counting adds one, by a load and a store of their own.
func counting(n *int) func() {
	return func() {
		Point(at(1, "add"))
		had := *n
		Point(at(2, "add"))
		*n = had + 1
	}
}

func TestSomeOrderLosesAnUpdateAndTheSameTurnsLoseItAgain(t *testing.T) {
	lost := 0
	for seed := range uint64(20) {
		n := 0
		var turns []Turn
		played(t, NewRandom(seed), map[string]func(){"a": counting(&n), "b": counting(&n)}, func(_ *Run, taken []Turn) { turns = taken })
		again := 0
		played(t, NewReplay(turns), map[string]func(){"a": counting(&again), "b": counting(&again)}, func(_ *Run, taken []Turn) {
			if !reflect.DeepEqual(turns, taken) {
				t.Errorf("replayed %v, and there were %v", turns, taken)
			}
		})
		if n != again {
			t.Errorf("%d, and %d when it was replayed", n, again)
		}
		if n == 1 {
			lost++
		}
	}
	if lost == 0 || lost == 20 {
		t.Errorf("%d of 20 orders lose an update", lost)
	}
}

func TestALockKeepsOthersOutInEveryOrder(t *testing.T) {
	for seed := range uint64(50) {
		for _, strategy := range []Strategy{NewRandom(seed), NewPCT(seed, 3, 10), NewSparse(seed, 2, 10)} {
			var mu sync.Mutex
			n := 0
			locked := func() {
				Lock(at(1, "add"), &mu)
				defer Unlock(at(2, "add"), &mu)
				counting(&n)()
			}
			played(t, strategy, map[string]func(){"a": locked, "b": locked}, all)
			if n != 2 {
				t.Fatalf("%d after two that add one", n)
			}
		}
	}
}

func TestADeadlockIsToldByWhoWaitsForWhom(t *testing.T) {
	var one, two sync.Mutex
	taking := func(first, then *sync.Mutex, line int) func() {
		return func() {
			Lock(at(line, "f"), first)
			Lock(at(line+1, "f"), then)
			Unlock(at(line+2, "f"), then)
			Unlock(at(line+3, "f"), first)
		}
	}
	turns := []Turn{{Who: "a", Steps: 2}, {Who: "b"}, {Who: "a"}}
	played(t, NewReplay(turns), map[string]func(){"a": taking(&one, &two, 10), "b": taking(&two, &one, 20)}, func(r *Run, _ []Turn) {
		waiting := r.Waiting()
		if len(waiting) != 2 {
			t.Fatalf("waiting: %v", waiting)
		}
		for i, due := range []string{"a at test.go:11 for a lock that b holds, having taken one at test.go:10", "b at test.go:21 for a lock that a holds, having taken one at test.go:20"} {
			w := waiting[i]
			if told := fmt.Sprintf("%s at %s for %s, having taken one at %s", w.Who, w.At, w.For, w.Holds[0].At); told != due {
				t.Errorf("%s; due: %s", told, due)
			}
		}
	})
}

func TestAReaderWaitsForAWriterWhoWaits(t *testing.T) {
	var mu sync.RWMutex
	reading := func() { // once more, while it reads: a writer that comes between waits for it, and it for the writer
		RLock(at(1, "read"), &mu)
		RLock(at(2, "read"), &mu)
		RUnlock(at(3, "read"), &mu)
		RUnlock(at(4, "read"), &mu)
	}
	writing := func() {
		Lock(at(5, "write"), &mu)
		Unlock(at(6, "write"), &mu)
	}
	turns := []Turn{{Who: "reader", Steps: 3}, {Who: "writer"}, {Who: "reader"}}
	played(t, NewReplay(turns), map[string]func(){"reader": reading, "writer": writing}, func(r *Run, _ []Turn) {
		if len(r.Waiting()) != 2 {
			t.Errorf("waiting: %v", r.Waiting())
		}
	})
}

func TestALookAtTheClockIsASignOfLife(t *testing.T) {
	_, before := Turning()
	Now()
	if _, soFar := Turning(); soFar == before {
		t.Error("who waits for time to pass is taken for one that goes round and round for ever")
	}
}

func TestWhoWaitedToReadReadsBeforeTheNextWriter(t *testing.T) {
	var mu sync.RWMutex
	did := ""
	writing := func(name string) func() {
		return func() {
			Lock(at(1, "write"), &mu)
			Point(at(5, "write"))
			did += name
			Unlock(at(2, "write"), &mu)
		}
	}
	reading := func() {
		RLock(at(3, "read"), &mu)
		did += "r"
		RUnlock(at(4, "read"), &mu)
	}
	turns := []Turn{{Who: "w1", Steps: 3}, {Who: "w2"}, {Who: "r"}, {Who: "w1", Steps: 1}, {Who: "w2"}, {Who: "r"}}
	played(t, NewReplay(turns), map[string]func(){"w1": writing("1"), "w2": writing("2"), "r": reading}, all)
	if did != "1r2" {
		t.Errorf("they went %s", did)
	}
}

type embedding struct{ sync.Mutex }

type deeper struct{ *embedding }

type own struct{ embedding }

func (*own) Lock()   {}
func (*own) Unlock() {}

func TestALockIsFoundWhereItIsEmbedded(t *testing.T) {
	var mu sync.Mutex
	var rw sync.RWMutex
	for _, l := range []sync.Locker{&mu, &rw, rw.RLocker(), &embedding{}, deeper{&embedding{}}, &deeper{&embedding{}}} {
		if _, ok := l.(deeper); ok {
			continue // by value: nobody hands a lock on so
		}
		if its := lockOf(l); its == nil || !free(its) {
			t.Errorf("no lock in a %T", l)
		}
	}
	if its := lockOf(&own{}); its != nil {
		t.Errorf("a lock of its own kind is taken for %T", its)
	}
}

func TestASignalWakesWhoeverHasWaitedLongest(t *testing.T) {
	cond := sync.NewCond(&sync.Mutex{})
	var woken []string
	waiting := func(name string) func() {
		return func() {
			Lock(at(1, "wait"), cond.L)
			CondWait(at(2, "wait"), cond)
			woken = append(woken, name)
			Unlock(at(3, "wait"), cond.L)
		}
	}
	signalling := func() {
		CondSignal(at(4, "signal"), cond)
		CondSignal(at(5, "signal"), cond)
	}
	turns := []Turn{{Who: "b"}, {Who: "a"}, {Who: "s"}}
	lanes := map[string]func(){"a": waiting("a"), "b": waiting("b"), "c": waiting("c"), "s": signalling}
	played(t, NewReplay(turns), lanes, func(r *Run, _ []Turn) {
		if w := r.Waiting(); len(w) != 1 || w[0].Who != "c" || w[0].For != "a signal" {
			t.Errorf("waiting: %v", w)
		}
	})
	if !slices.Equal(woken, []string{"b", "a"}) {
		t.Errorf("woken: %v", woken)
	}
}

func TestChannelsSelectsAndCloses(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) { sendAndTake(t, NewRandom(seed)) })
	}
}

func sendAndTake(t *testing.T, strategy Strategy) {
	plain, buffered, stop := make(chan int), make(chan int, 1), make(chan struct{})
	sum := 0
	lanes := map[string]func(){
		"sends": func() { Send(at(1, "send"), plain)(1); Send(at(2, "send"), buffered)(2); Close(at(3, "send"), stop) },
		"takes": func() {
			for {
				one, other, ends := RecvC(plain), RecvC(buffered), RecvC(stop)
				switch Select(at(4, "take"), false, one, other, ends) {
				case 0:
					sum += one.V
				case 1:
					sum += other.V
				default:
					v, ok := 0, false
					if nothing := RecvC(buffered); Select(at(5, "take"), true, nothing) == 0 {
						v, ok = nothing.V, nothing.OK
					}
					if ok {
						sum += v
					}
					return
				}
			}
		},
	}
	playedHere(t, strategy, lanes, func(r *Run, _ []Turn) {
		if len(r.Waiting()) > 0 || sum != 3 {
			t.Errorf("sum %d, waiting: %v", sum, r.Waiting())
		}
	})
}

func TestTheCaseOfASelectIsAChoiceThatIsReplayed(t *testing.T) {
	seen := map[int]bool{}
	for seed := range uint64(20) {
		once := func(strategy Strategy) (way int, turns []Turn) {
			lanes := map[string]func(){"a": func() {
				one, two := make(chan int, 1), make(chan int, 1)
				one <- 1
				two <- 2
				way = Select(at(1, "f"), false, RecvC(one), RecvC(two))
			}}
			played(t, strategy, lanes, func(_ *Run, taken []Turn) { turns = taken })
			return
		}
		way, turns := once(NewRandom(seed))
		if again, _ := once(NewReplay(turns)); again != way {
			t.Errorf("case %d, and %d when it was replayed by %v", way, again, turns)
		}
		seen[way] = true
	}
	if len(seen) != 2 {
		t.Errorf("only these were taken: %v", seen)
	}
}

func TestWhoComesLateToAnOnceWaitsForItsEnd(t *testing.T) {
	for seed := range uint64(30) {
		var o sync.Once
		ready := false
		using := func() {
			OnceDo(at(1, "use"), &o, func() { Point(at(2, "use")); ready = true })
			if !ready {
				t.Error("it is not ready")
			}
		}
		played(t, NewRandom(seed), map[string]func(){"a": using, "b": using}, func(r *Run, _ []Turn) {
			if len(r.Waiting()) > 0 {
				t.Errorf("waiting: %v", r.Waiting())
			}
		})
	}
}

func TestAWaitGroupIsWaitedForWhereverItWasAddedTo(t *testing.T) {
	synctest.Test(t, waitForAGroup)
}

func waitForAGroup(t *testing.T) {
	var early sync.WaitGroup
	early.Add(1) // by code that is not rewritten, or before anything is under control
	did := ""
	lanes := map[string]func(){
		"waits": func() { WaitGroupWait(at(1, "wait"), &early); did += "w" },
		"works": func() {
			WaitGroupGo(at(2, "work"), &early, func() { did += "g" })
			did += "d"
			WaitGroupDone(at(3, "work"), &early)
		},
	}
	playedHere(t, NewReplay([]Turn{{Who: "waits"}, {Who: "works"}}), lanes, func(r *Run, _ []Turn) {
		if len(r.Waiting()) > 0 || did != "dgw" && did != "gdw" {
			t.Errorf("%q, waiting: %v", did, r.Waiting())
		}
	})
}

func TestTimePassesOnlyWhileNobodyCanGoOn(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		r := Begin()
		began := time.Now()
		var slept, ticked, cancelled time.Duration
		r.Go("sleeps", func() { Sleep(at(1, "sleep"), time.Second); slept = time.Since(began) })
		r.Go("ticks", func() {
			ticker := time.NewTicker(time.Second)
			defer ticker.Stop()
			for range 3 {
				Recv(at(2, "tick"), ticker.C)
			}
			ticked = time.Since(began)
		})
		r.Go("times out", func() {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer func() { Cancel(at(3, "late"), cancel)() }()
			Recv(at(4, "late"), ctx.Done())
			cancelled = time.Since(began)
		})
		r.Settle()
		if slept != 0 || time.Since(began) != 0 {
			t.Error("time has passed to settle")
		}
		r.Advance(5 * time.Second)
		if slept != time.Second || ticked != 3*time.Second || cancelled != 2*time.Second || time.Since(began) != 5*time.Second {
			t.Error(slept, ticked, cancelled, time.Since(began))
		}
		r.End()
	})
}

func TestAGoroutineThatCodeOfOthersHasStartedIsTakenUnderControl(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		r := Begin()
		var mu sync.Mutex
		n := 0
		r.Go("lane", func() {
			time.AfterFunc(time.Second, func() {
				Lock(at(1, "fires"), &mu)
				n++
				Unlock(at(2, "fires"), &mu)
			})
			Lock(at(3, "holds"), &mu)
			Sleep(at(4, "holds"), 2*time.Second)
			n *= 10
			Unlock(at(5, "holds"), &mu)
		})
		r.Advance(3 * time.Second)
		if n != 1 {
			t.Errorf("%d: it has not waited for the lock", n)
		}
		r.End()
	})
}

func TestAPanicOfTheCandidatesOwnIsTrouble(t *testing.T) {
	lanes := map[string]func(){"a": func() { go Wrap(at(1, "works"), func(text string) { panic(text) })("no") }}
	played(t, Fair{}, lanes, func(r *Run, _ []Turn) {
		if r.Trouble == nil || r.Trouble.Kind != "panic" || r.Trouble.Text != "works panics: no" {
			t.Errorf("trouble: %v", r.Trouble)
		}
	})
}

func TestALoopThatWaitsForAnotherIsLeftAndOneThatNothingEndsIsTrouble(t *testing.T) {
	done := false
	spinning := func() {
		for !done {
			Gosched(at(1, "spin"))
		}
	}
	lanes := map[string]func(){"a": spinning, "b": func() { Point(at(2, "end")); done = true }}
	played(t, NewReplay([]Turn{{Who: "a"}}), lanes, func(r *Run, _ []Turn) {
		if r.Trouble != nil {
			t.Errorf("trouble: %v", r.Trouble)
		}
	})
	done = false
	played(t, Fair{}, map[string]func(){"a": spinning}, func(r *Run, _ []Turn) {
		if r.Trouble == nil || r.Trouble.Kind != "spins" {
			t.Errorf("trouble: %v", r.Trouble)
		}
		done = true
	})
}

func TestWhoIsLeftWhenARunEndsDoesWhatItDefers(t *testing.T) {
	var mu sync.Mutex
	deferred := 0
	holding := func() {
		Lock(at(1, "hold"), &mu)
		defer Unlock(at(2, "hold"), &mu)
		defer func() { deferred++ }()
		Recv(at(3, "hold"), make(chan int))
	}
	played(t, Fair{}, map[string]func(){"a": holding, "b": func() { Lock(at(4, "want"), &mu) }}, all)
	if deferred != 1 || !mu.TryLock() {
		t.Errorf("deferred %d times", deferred)
	}
}

func TestWithoutARunAllIsAsItWas(t *testing.T) {
	var mu sync.Mutex
	Lock(at(1, "f"), &mu)
	Unlock(at(2, "f"), &mu)
	ch := make(chan int, 1)
	Send(at(3, "f"), ch)(1)
	if Recv(at(4, "f"), ch) != 1 {
		t.Error("something else was received")
	}
}

// footprints of lanes that go on the fair way.
func footprints(t *testing.T, lanes map[string]func()) *Footprints {
	t.Helper()
	return footprintsOf(t, func() map[string]func() { return lanes })
}

// footprintsOf lanes whose channels are made where they are used: in the bubble.
func footprintsOf(t *testing.T, made func() map[string]func()) (told *Footprints) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		lanes := made()
		r := Begin()
		for _, name := range slices.Sorted(maps.Keys(lanes)) {
			r.Go(name, lanes[name])
		}
		_, told = r.Traced(Fair{}, 0)
		r.End()
	})
	return told
}

func TestFootprintsTellWhatEachStepHasToDoWith(t *testing.T) {
	var mu, other sync.Mutex
	one := sync.NewCond(&mu)
	told := footprints(t, map[string]func(){
		"a": func() {
			Lock(at(1, "f"), &mu)
			CondWait(at(2, "f"), one)
			Unlock(at(3, "f"), &mu)
		},
		"b": func() {
			Lock(at(4, "f"), &other)
			Lock(at(5, "f"), &mu)
			CondSignal(at(6, "f"), one)
			Unlock(at(7, "f"), &mu)
		},
		"c": func() { Lock(at(8, "f"), &other) },
	})
	due := &Footprints{Exact: true, Wants: map[string]int{"c": 3}, Steps: []Step{
		{Who: "a", Of: []string{"b", "c"}},
		{Who: "a", Of: []string{"b", "c"}, Writes: []int{1}},
		{Who: "a", Of: []string{"b", "c"}, Writes: []int{2}, Releases: []int{1}},
		{Who: "b", Of: []string{"c"}},
		{Who: "b", Of: []string{"c"}, Writes: []int{3}},
		{Who: "b", Of: []string{"c"}, Writes: []int{1}},
		{Who: "b", Of: []string{"c"}, Writes: []int{2}, Releases: []int{1}, Wakes: []string{"a"}},
		{Who: "b", Of: []string{"a", "c"}},
		{Who: "c", Of: []string{"a"}},
		{Who: "a", Writes: []int{1}, Releases: []int{1}},
		{Who: "a"},
	}}
	for i, step := range told.Steps {
		if i >= len(due.Steps) || !reflect.DeepEqual(step, due.Steps[i]) {
			t.Errorf("step %d: %+v", i, step)
		}
	}
	if !told.Exact || !reflect.DeepEqual(told.Wants, due.Wants) || len(told.Steps) != len(due.Steps) {
		t.Errorf("%+v; due: %+v", told, due)
	}
}

func TestASignalWithoutTheLockMayComeBetweenALookAndTheWait(t *testing.T) {
	lost := false
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var set atomic.Bool
			c, over := sync.NewCond(&mu), false
			r := Begin()
			r.Go("waits", func() {
				Lock(at(1, "f"), &mu)
				for !Before(at(2, "f"), &set).Load() {
					CondWait(at(3, "f"), c)
				}
				Unlock(at(4, "f"), &mu)
				over = true
			})
			r.Go("sets", func() {
				Before(at(5, "g"), &set).Store(true)
				CondBroadcast(at(6, "g"), c)
			})
			r.Race(NewRandom(seed), 0, func() int64 { return 0 })
			lost = lost || !over
			r.End()
		})
	}
	if !lost {
		t.Error("no order of fifty loses the wake-up")
	}
}

func TestWhatStandsAroundACandidateIsMetWithoutAPoint(t *testing.T) {
	var double int
	told := footprints(t, map[string]func(){
		"a": func() { Writes(&double) },
		"b": func() { Reads(&double) },
	})
	due := []Step{{Who: "a", Of: []string{"b"}, Writes: []int{1}}, {Who: "b", Reads: []int{1}}}
	if !told.Exact || !reflect.DeepEqual(told.Steps, due) {
		t.Errorf("%+v; due: %+v", told, due)
	}
	Writes(&double) // outside a run there is nobody to tell
}

func TestToFreeALockThatSomebodyTriesToTakeIsToChangeIt(t *testing.T) {
	var tried, other sync.Mutex
	told := footprints(t, map[string]func(){
		"a": func() {
			Lock(at(1, "f"), &tried)
			Gosched(at(2, "f"))
			Unlock(at(3, "f"), &tried)
			Lock(at(4, "f"), &other)
			Gosched(at(5, "f"))
			Unlock(at(6, "f"), &other)
		},
		"b": func() { TryLock(at(7, "f"), &tried) },
	})
	var freed []Step
	for _, step := range told.Steps {
		if len(step.Releases) > 0 {
			freed = append(freed, step)
		}
	}
	if len(freed) != 2 || !reflect.DeepEqual(freed[0].Writes, freed[0].Releases) || slices.Contains(freed[1].Writes, freed[1].Releases[0]) {
		t.Errorf("%+v: whoever tries can come before the one and not before the other", freed)
	}
}

func TestWhichCasesOfASelectAreReadyIsKnownBeforeOneIsTaken(t *testing.T) {
	if !transparent {
		t.Fatal("channels and timers are laid out in another way in this Go")
	}
	synctest.Test(t, func(t *testing.T) {
		var none chan int
		empty, one, full, closed := make(chan int), make(chan int, 2), make(chan int, 1), make(chan int)
		one <- 1
		full <- 1
		close(closed)
		due, late, ticker := time.NewTimer(0), time.NewTimer(time.Second), time.NewTicker(time.Second)
		defer ticker.Stop()
		cases := []Case{
			RecvC(none), RecvC(empty), RecvC(one), RecvC(full), RecvC(closed), RecvC(due.C), RecvC(late.C), RecvC(ticker.C),
			SendC(none)(0), SendC(empty)(0), SendC(one)(0), SendC(full)(0), SendC(closed)(0),
		}
		r := Begin()
		if ready := r.readyOf(cases); !slices.Equal(ready, []int{2, 3, 4, 5, 10, 12}) {
			t.Errorf("ready: %v", ready)
		}
		time.Sleep(time.Second)
		if ready := r.readyOf(cases); !slices.Equal(ready, []int{2, 3, 4, 5, 6, 7, 10, 12}) {
			t.Errorf("ready after a second: %v", ready)
		}
		<-due.C
		late.Stop()
		if ready := r.readyOf(cases); !slices.Equal(ready, []int{2, 3, 4, 7, 10, 12}) {
			t.Errorf("ready when one was received and one stopped: %v", ready)
		}
		r.End()
	})
}

func TestALoopThatAnotherWayOfASelectEndsComesToItsEnd(t *testing.T) {
	for _, strategy := range []Strategy{Fair{}, NewReplay([]Turn{{Who: "a"}})} {
		synctest.Test(t, func(t *testing.T) {
			over, ends := make(chan int), make(chan int)
			close(over)
			close(ends)
			loops := func() {
				for Select(at(1, "f"), false, RecvC(over), RecvC(ends)) == 0 {
				}
			}
			playedHere(t, strategy, map[string]func(){"a": loops}, func(r *Run, _ []Turn) {
				if r.Trouble != nil {
					t.Error(r.Trouble.Text)
				}
			})
		})
	}
}

func TestEachSelectOfATurnIsReplayed(t *testing.T) {
	for seed := range uint64(20) {
		once := func(strategy Strategy) (ways []int, turns []Turn) {
			lanes := map[string]func(){"a": func() {
				one, two, three := make(chan int, 1), make(chan int, 1), make(chan int, 1)
				one <- 1
				two <- 2
				three <- 3
				for range 3 {
					ways = append(ways, Select(at(1, "f"), false, RecvC(one), RecvC(two), RecvC(three)))
				}
			}}
			played(t, strategy, lanes, func(_ *Run, taken []Turn) { turns = taken })
			return
		}
		ways, turns := once(NewRandom(seed))
		if again, _ := once(NewReplay(turns)); !slices.Equal(again, ways) {
			t.Errorf("cases %v, and %v when they were replayed by %v", ways, again, turns)
		}
	}
}

func TestFootprintsTellWhichChannelsASelectOnlyLooksAt(t *testing.T) {
	told := footprintsOf(t, func() map[string]func() {
		one, two, over := make(chan int, 1), make(chan int, 1), make(chan int)
		return map[string]func(){
			"a": func() { Select(at(1, "f"), false, RecvC(one), RecvC(over)) },
			"b": func() { Select(at(2, "f"), false, RecvC(two), RecvC(over)) },
			"c": func() { Send(at(3, "f"), one)(1) },
			"d": func() { Close(at(4, "f"), over) },
		}
	})
	due := []Step{
		{Who: "a", Of: []string{"b", "c", "d"}},
		{Who: "a", Of: []string{"b", "c", "d"}, Reads: []int{1, 2, 3}, Joins: []int{4, 5}},
		{Who: "b", Of: []string{"c", "d"}},
		{Who: "b", Of: []string{"c", "d"}, Reads: []int{6, 2, 3}, Joins: []int{7, 5}},
		{Who: "c", Of: []string{"d"}},
		{Who: "c", Of: []string{"d"}, Reads: []int{1}, Writes: []int{1, 4}, Joins: []int{5}, Wakes: []string{"a"}},
		{Who: "d", Of: []string{"a"}},
		{Who: "d", Of: []string{"a"}, Writes: []int{2, 5, 3}, Joins: []int{7}, Wakes: []string{"b"}},
		{Who: "a", Of: []string{"b"}},
		{Who: "b"},
	}
	for i, step := range told.Steps {
		if i >= len(due) || !reflect.DeepEqual(step, due[i]) {
			t.Errorf("step %d: %+v", i, step)
		}
	}
	if !told.Exact || len(told.Steps) != len(due) {
		t.Errorf("exact: %v, %d steps", told.Exact, len(told.Steps))
	}
}

func TestFootprintsTellInWhichOfHowManyWaysASelectWent(t *testing.T) {
	told := footprintsOf(t, func() map[string]func() {
		one, two, over := make(chan int, 1), make(chan int, 1), make(chan int)
		one <- 1
		two <- 2
		return map[string]func(){"a": func() { Select(at(1, "f"), true, RecvC(over), RecvC(one), RecvC(two)) }}
	})
	if last := told.Steps[len(told.Steps)-1]; !told.Exact || last.Way != 0 || last.Ways != 2 {
		t.Errorf("exact: %v, %+v", told.Exact, last)
	}
}

func TestALineThatIsServedWhileSeveralWaitIsTold(t *testing.T) {
	for _, takers := range []int{1, 2} {
		told := footprintsOf(t, func() map[string]func() {
			ch := make(chan int)
			lanes := map[string]func(){"s": func() { Send(at(2, "f"), ch)(1) }}
			for n := range takers {
				lanes[fmt.Sprint("r", n)] = func() { Recv(at(1, "f"), ch) }
			}
			return lanes
		})
		served := slices.ContainsFunc(told.Steps, func(s Step) bool { return len(s.Serves) > 0 })
		if served != (takers > 1) {
			t.Errorf("served where %d wait: %v", takers, served)
		}
	}
}

func TestThingsThatWereMetBeforeARaceHaveTheSameNumbersInEveryRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu, late sync.Mutex
		r := Begin()
		r.Go("before", func() { Lock(at(1, "f"), &mu); Unlock(at(2, "f"), &mu) })
		r.Settle()
		r.Go("a", func() { Lock(at(3, "f"), &late) })
		r.Go("b", func() { Lock(at(4, "f"), &mu) })
		_, told := r.Traced(Fair{}, 0)
		if told.Known != 1 || !slices.Equal(told.Steps[1].Writes, []int{2}) || !slices.Equal(told.Steps[3].Writes, []int{1}) {
			t.Errorf("%+v", told)
		}
		r.End()
	})
}

func TestTwoTimersOfOneSelectAtTheSameMomentBlurFootprints(t *testing.T) {
	for _, apart := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			r := Begin()
			r.Go("a", func() {
				Select(at(1, "f"), false, RecvC(time.After(time.Second)), RecvC(time.After(time.Second+apart)))
			})
			if _, told := r.Traced(Fair{}, time.Minute); told.Exact != (apart > 0) {
				t.Errorf("%v apart; exact: %v", apart, told.Exact)
			}
			r.End()
		})
	}
}

func TestThousandsOfStepsAtOneMomentAreNoLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Begin()
		r.Go("a", func() {
			for range 10 * most {
				Point(at(1, "f"))
			}
		})
		if r.Race(Fair{}, 0, nil); r.Trouble != nil {
			t.Errorf("trouble: %v", r.Trouble)
		}
		r.End()
	})
}

func TestAMonotonicReadingTellsWhatHasPassedHoweverTheClockIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := Now()
		time.Sleep(2 * time.Second)
		time.Sleep(time.Hour)
		SetClock(time.Hour) // which was no time that passed
		after := Now()
		if passed := after.Sub(before); passed != 2*time.Second {
			t.Errorf("%v have passed", passed)
		}
		if passed, left := Since(before), Until(before.Add(time.Minute)); passed != 2*time.Second || left != 58*time.Second {
			t.Errorf("%v have passed, and %v are left", passed, left)
		}
		if set := after.Round(0).Sub(before.Round(0)); set != time.Hour+2*time.Second {
			t.Errorf("the wall clock is set by %v", set)
		}
		if now := time.Now(); !after.Equal(now) || time.Since(before) != time.Hour+2*time.Second {
			t.Errorf("%v, and not %v", after, now) // what is not under control sees the wall clock alone
		}
		time.Sleep(180 * 365 * 24 * time.Hour)
		if now := Now(); isMonotonic(now) || !now.Equal(time.Now()) {
			t.Errorf("%v is told in a year in which there is no room for both", now)
		}
	})
}

func TestOutsideABubbleTheTimeIsAsItWas(t *testing.T) {
	before := time.Now()
	if now := Now(); !isMonotonic(now) || now.Before(before) || time.Since(now) < 0 {
		t.Errorf("%v after %v", now, before)
	}
}

func TestWhatIsMetBeforeARaceIsForgottenOnceItIsTooMuchAndNumbersGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		r := Begin()
		r.Go("before", func() {
			for range enough + 10 {
				Recv(at(1, "f"), time.After(time.Second))
			}
			Lock(at(2, "f"), &mu)
			Unlock(at(3, "f"), &mu)
		})
		r.Advance((enough + 10) * time.Second)
		r.Go("a", func() { Lock(at(4, "f"), &mu) })
		_, told := r.Traced(Fair{}, 0)
		if len(r.things.known) > enough || told.Known < enough || !slices.Equal(told.Steps[1].Writes, []int{told.Known}) {
			t.Errorf("%d are kept; %+v", len(r.things.known), told)
		}
		r.End()
	})
}
