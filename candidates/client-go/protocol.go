// Package driver lets stingy judge the work queue of k8s.io/client-go over driver protocol 1.
package driver

import (
	"encoding/json"
	"os"
	"sync"
)

// request is any line from the runner. What may be left out, and is not the same as empty, is a pointer.
type request struct {
	ID       int64                  `json:"id"`
	Op       string                 `json:"op"`
	Impl     string                 `json:"impl"`
	Lane     *string                `json:"lane"`
	Item     *string                `json:"item"`
	NS       int64                  `json:"ns"`
	Seed     int64                  `json:"seed"`
	Programs map[string][][]*string `json:"programs"`
}

// failure says why there is no value. Its kind is one of the three below.
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
	Ops          []string     `json:"ops"`
	Capabilities capabilities `json:"capabilities"`
}

type capabilities struct {
	VirtualClock bool `json:"virtual_clock"`
	Settle       bool `json:"settle"`
	Burst        bool `json:"burst"`
	Cancel       bool `json:"cancel"`
	ResolutionNS int  `json:"resolution_ns"`
}

// clock answers new, settle and advance.
type clock struct {
	NowNS int64 `json:"now_ns"`
}

// delivery answers get. The item is null beside a shutdown, because "" is an item like any other.
type delivery struct {
	Item     *string `json:"item"`
	Shutdown bool    `json:"shutdown"`
}

// history answers burst.
type history struct {
	Calls []*call `json:"calls"`
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
	output  = os.Stdout // kept from before TestMain gives os.Stdout away
	writing sync.Mutex  // lanes answer side by side
)

// answer writes one line, in one write, so that the runner sees it at once.
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
	if _, err := output.Write(append(line, '\n')); err != nil {
		panic(err) // nobody listens any more
	}
}
