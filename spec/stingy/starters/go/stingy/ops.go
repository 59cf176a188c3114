package driver

import (
	"encoding/json"
	"errors"
	"maps"
	"time"
)

// Ops are the calls that a driver offers, by the names that hello tells.
type Ops map[string]Op

// An Op is one call to a candidate.
type Op struct {
	call func(parts []any, req Request) (any, *failure)
}

// On makes an op of what can be called on a part of the kind P. A candidate that has no such part does not offer it.
func On[P any](call func(part P, req Request) any) Op {
	return Op{call: func(parts []any, req Request) (any, *failure) {
		for _, part := range parts {
			if its, ok := part.(P); ok {
				return call(its, req), nil
			}
		}
		return nil, unsupported("op " + req.Op + " of this impl")
	}}
}

// OnItem is On for a call with an item.
func OnItem[P any](call func(part P, item string, req Request) any) Op {
	return On(func(part P, req Request) any { return call(part, *req.Item, req) })
}

// OnKeys is On for a call with keys that no other driver has. The keys may check whether the call makes sense; an error
// that is errors.ErrUnsupported says that it does, and cannot be made.
func OnKeys[P, K any](call func(part P, keys K) any) Op {
	return Op{call: func(parts []any, req Request) (any, *failure) {
		var keys K
		if err := json.Unmarshal(req.line, &keys); err != nil {
			return nil, senseless(err.Error())
		}
		if checked, ok := any(keys).(interface{ Check() error }); ok {
			switch err := checked.Check(); {
			case errors.Is(err, errors.ErrUnsupported):
				return nil, unsupported(err.Error())
			case err != nil:
				return nil, senseless(err.Error())
			}
		}
		return On(func(part P, _ Request) any { return call(part, keys) }).call(parts, req)
	}}
}

// With adds further ops to these.
func (ops Ops) With(further ...Ops) Ops {
	all := maps.Clone(ops)
	for _, each := range further {
		maps.Copy(all, each)
	}
	return all
}

// Queue holds the ops of a work queue whose methods are those of client-go.
var Queue = Ops{
	"add":  OnItem(func(q interface{ Add(string) }, item string, _ Request) any { q.Add(item); return nil }),
	"done": OnItem(func(q interface{ Done(string) }, item string, _ Request) any { q.Done(item); return nil }),
	"get": On(func(q interface{ Get() (string, bool) }, _ Request) any {
		return Delivered(q.Get())
	}),
	"len":           On(func(q interface{ Len() int }, _ Request) any { return q.Len() }),
	"shut_down":     On(func(q interface{ ShutDown() }, _ Request) any { q.ShutDown(); return nil }),
	"shutting_down": On(func(q interface{ ShuttingDown() bool }, _ Request) any { return q.ShuttingDown() }),
	"pause":         On(func(_ any, req Request) any { time.Sleep(req.NS); return nil }),
}

// Drain holds the op of a queue that waits for its workers when it is shut down.
var Drain = Ops{
	"shut_down_with_drain": On(func(q interface{ ShutDownWithDrain() }, _ Request) any { q.ShutDownWithDrain(); return nil }),
}

// Delay holds the op of a queue that adds later.
var Delay = Ops{
	"add_after": OnItem(func(q interface{ AddAfter(string, time.Duration) }, item string, req Request) any {
		q.AddAfter(item, req.NS)
		return nil
	}),
}

// Limit holds the ops of a queue that adds when its rate limiter says so.
var Limit = Ops{
	"add_rate_limited": OnItem(func(q interface{ AddRateLimited(string) }, item string, _ Request) any {
		q.AddRateLimited(item)
		return nil
	}),
	"forget":       OnItem(func(q interface{ Forget(string) }, item string, _ Request) any { q.Forget(item); return nil }),
	"num_requeues": OnItem(func(q interface{ NumRequeues(string) int }, item string, _ Request) any { return q.NumRequeues(item) }),
}

// Metrics holds the op that a Recorder answers.
var Metrics = Ops{
	"metrics": On(func(r *Recorder, _ Request) any { return r.read() }),
}
