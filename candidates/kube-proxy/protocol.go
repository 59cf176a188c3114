// Package driver lets stingy judge the change tracker and the iptables proxier of kube-proxy over driver protocol 1.
package driver

import (
	"encoding/json"
	"os"
)

// request is any line from the runner. What may be left out, and is not the same as empty, is a pointer.
type request struct {
	ID      int64          `json:"id"`
	Op      string         `json:"op"`
	Impl    string         `json:"impl"`
	Options options        `json:"options"`
	Lane    *string        `json:"lane"`
	NS      int64          `json:"ns"`
	Slice   *endpointSlice `json:"slice"`
	Program *program       `json:"program"`
}

type options struct {
	IPFamily string `json:"ip_family"`
}

type endpointSlice struct {
	Namespace       string            `json:"namespace"`
	Name            string            `json:"name"`
	Service         *string           `json:"service"`
	AddressType     string            `json:"address_type"`
	Annotations     map[string]string `json:"annotations"`
	Labels          map[string]string `json:"labels"`
	Ports           []int32           `json:"ports"`
	Endpoints       []string          `json:"endpoints"`
	ResourceVersion string            `json:"resource_version"`
}

// program says how a sync's programming of the rules goes.
type program struct {
	OK      bool  `json:"ok"`
	TakesNS int64 `json:"takes_ns"`
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

// changes answers checkout. A time may be too far off for the nanoseconds of an int64.
type changes struct {
	Services     []string                 `json:"services"`
	TriggerTimes map[string][]json.Number `json:"trigger_times"`
}

// histogram answers metric.
type histogram struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Buckets []bucket `json:"buckets"`
	Count   uint64   `json:"count"`
	Sum     float64  `json:"sum"`
}

// bucket is a bound, or null for +Inf, and the cumulative count.
type bucket [2]any

var output = os.Stdout // kept from before TestMain gives os.Stdout away

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
	if _, err := output.Write(append(line, '\n')); err != nil {
		panic(err) // nobody listens any more
	}
}
