// Package driver is what drivers in Go have in common: driver protocol 1, lanes, and a clock that moves when told to. It
// knows no implementation, and needs nothing but Go's own library.
package driver

import (
	"encoding/json"
	"os"
	"sync"
	"time"
)

// Request is any line from the runner. What may be left out, and is not the same as empty, is a pointer.
type Request struct {
	ID          int64         `json:"id"`
	Op          string        `json:"op"`
	Impl        string        `json:"impl"`
	Options     Options       `json:"options"`
	Lane        *string       `json:"lane"`
	Item        *string       `json:"item"`
	Items       []string      `json:"items"`
	NS          time.Duration `json:"ns"`
	Priority    int           `json:"priority"`
	RateLimited bool          `json:"rate_limited"`
	Kind        string        `json:"kind"`
	Seed        int64         `json:"seed"`
	Schedule    *schedule     `json:"schedule"`
	Control     *bool         `json:"control"`

	Programs map[string][][]json.RawMessage `json:"programs"`

	line []byte // all of it, for the keys of a driver's own ops
}

// Options is what a candidate is to be made with. All times are in nanoseconds.
type Options struct {
	Name        string        `json:"name"`
	Metrics     *struct{}     `json:"metrics"`
	Queue       *StoreOptions `json:"queue"`
	RateLimiter *Script       `json:"rate_limiter"`

	BaseDelay       time.Duration `json:"base_delay"`
	MaxDelay        time.Duration `json:"max_delay"`
	FastDelay       time.Duration `json:"fast_delay"`
	SlowDelay       time.Duration `json:"slow_delay"`
	MaxFastAttempts int           `json:"max_fast_attempts"`
	Rate            float64       `json:"rate"`
	Burst           int           `json:"burst"`
	Limiter         Script        `json:"limiter"`
	Limiters        []Script      `json:"limiters"`

	MaxConcurrentReconciles int `json:"max_concurrent_reconciles"`

	Watched bool `json:"watched"`

	IPFamily string `json:"ip_family"`
}

// StoreOptions is what the store is made with that a queue is to keep its items in.
type StoreOptions struct {
	Hides int `json:"hides"`
}

// failure says why there is no value. Its kind is one of the three below, or that of a trouble.
type failure struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

func unsupported(text string) *failure { return &failure{"unsupported", text} }
func raised(text string) *failure      { return &failure{"raised", text} }
func senseless(text string) *failure   { return &failure{"protocol", text} }

// identity answers hello.
type identity struct {
	Protocol     int          `json:"protocol"`
	Name         string       `json:"name"`
	Version      string       `json:"version"`
	Build        string       `json:"build"`
	Language     string       `json:"language"`
	Kubernetes   string       `json:"kubernetes,omitempty"`
	Ops          []string     `json:"ops"`
	Capabilities capabilities `json:"capabilities"`
}

type capabilities struct {
	VirtualClock bool `json:"virtual_clock"`
	Settle       bool `json:"settle"`
	Burst        bool `json:"burst"`
	Cancel       bool `json:"cancel"`
	Step         bool `json:"step"`
	Meanwhile    bool `json:"meanwhile,omitempty"`
	ResolutionNS int  `json:"resolution_ns"`

	Schedules *schedules `json:"schedules,omitempty"`
}

// schedules is how the order of goroutines can be chosen, and whose.
type schedules struct {
	By           []string `json:"by"`
	Points       string   `json:"points"`
	Packages     []string `json:"packages"`
	Uncontrolled []string `json:"uncontrolled"`
	Footprints   bool     `json:"footprints"`
}

// clock answers new, settle and advance.
type clock struct {
	NowNS int64 `json:"now_ns"`
	Steps int   `json:"steps,omitempty"` // taken so far by goroutines under control; only after advance
}

// Delivery answers get. The item is null beside a shutdown, because "" is an item like any other.
type Delivery struct {
	Item     *string `json:"item"`
	Shutdown bool    `json:"shutdown"`
}

// handout is what answers a call that hands out an item: a Delivery, or a struct in which one is embedded.
type handout interface {
	delivered() (item *string, shutdown bool)
}

func (d Delivery) delivered() (*string, bool) { return d.Item, d.Shutdown }

// Delivered is what a Get has returned. An item beside a shutdown should not be there: then it is told as well.
func Delivered(item string, shutdown bool) Delivery {
	if shutdown && item == "" {
		return Delivery{nil, true}
	}
	return Delivery{&item, shutdown}
}

// history answers burst.
type history struct {
	Calls []*call `json:"calls"`
	*course
}

type call struct {
	Lane  string   `json:"lane"`
	Op    string   `json:"op"`
	Item  *string  `json:"item,omitempty"`
	Val   any      `json:"val,omitempty"`
	Error *failure `json:"error,omitempty"`
	Start int64    `json:"start"`
	End   *int64   `json:"end"`
}

var (
	output  = os.Stdout // kept from before Main gives os.Stdout away
	writing sync.Mutex  // lanes answer side by side
	waits   = true      // whether the driver waits for a request; until then, …
	unsaid  []byte      // … its answers
)

// serving says that answers may wait for those to the next request, if it has come already.
func serving() {
	writing.Lock()
	defer writing.Unlock()
	waits = false
}

// flush says what is unsaid, and what comes until the next request at once.
func flush() {
	writing.Lock()
	defer writing.Unlock()
	waits = true
	say()
}

func say() {
	if len(unsaid) == 0 {
		return
	}
	if _, err := output.Write(unsaid); err != nil {
		panic(err) // nobody listens any more
	}
	unsaid = unsaid[:0]
}

// answer writes one line. It is seen at once, or with the answers to all requests that have come already.
func answer(id int64, val any, bad *failure) {
	var message any = struct {
		ID  int64 `json:"id"`
		OK  bool  `json:"ok"`
		Val any   `json:"val"`
	}{id, true, val}
	if bad != nil {
		message = struct {
			ID    int64    `json:"id"`
			OK    bool     `json:"ok"`
			Error *failure `json:"error"`
		}{id, false, bad}
	}
	line, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	writing.Lock()
	defer writing.Unlock()
	if unsaid = append(append(unsaid, line...), '\n'); waits {
		say()
	}
}
