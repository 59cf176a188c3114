package kubeproxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"stingy.invalid/driver"
)

// Slice is as much of an EndpointSlice as the runner says.
type Slice struct {
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

// Program says how a sync's programming of the rules goes.
type Program struct {
	OK    bool          `json:"ok"`
	Takes time.Duration `json:"takes_ns"`
	Step  time.Duration `json:"step_ns"`

	Meanwhile []Arrival `json:"meanwhile"` // told before the rules are written
}

// Arrival is what an informer tells of a slice: to update or to remove it.
type Arrival struct {
	Op    string `json:"op"`
	Slice *Slice `json:"slice"`
}

// Changes answers checkout. A time may be too far off for the nanoseconds of an int64.
type Changes struct {
	Services     []string                 `json:"services"`
	TriggerTimes map[string][]json.Number `json:"trigger_times"`
}

// Histogram answers metric.
type Histogram struct {
	Name    string            `json:"name"`
	Kind    string            `json:"kind"`
	Labels  map[string]string `json:"labels"`
	Buckets []Bucket          `json:"buckets"`
	Count   uint64            `json:"count"`
	Sum     float64           `json:"sum"`
}

// Bucket is a bound, or null for +Inf, and the cumulative count.
type Bucket [2]any

// watcher receives slices, and returns true if the call changed something.
type watcher interface {
	update(slice Slice) bool
	remove(slice Slice) bool
}

var ops = driver.Ops{
	"update":          driver.OnKeys(func(w watcher, about aSlice) any { return w.update(*about.Slice) }),
	"remove":          driver.OnKeys(func(w watcher, about aSlice) any { return w.remove(*about.Slice) }),
	"services_synced": driver.On(func(p synced, _ driver.Request) any { p.haveServices(); return nil }),
	"slices_synced":   driver.On(func(p synced, _ driver.Request) any { p.haveSlices(); return nil }),
	"sync":            driver.OnKeys(func(p synced, with aProgram) any { return p.sync(*with.Program) }),
	"metric":          driver.On(func(l Latency, _ driver.Request) any { return l.Metric() }),
}

var checkout = driver.Ops{
	"checkout": driver.On(func(t interface{ checkOut() Changes }, _ driver.Request) any { return t.checkOut() }),
	"read_again": driver.OnKeys(func(t interface{ readAgain(int) Changes }, its aNumber) any {
		return t.readAgain(its.Number)
	}),
}

type synced interface {
	haveServices()
	haveSlices()
	sync(program Program) []float64
}

func (a Arrival) senseless() bool { return a.Slice == nil || a.Op != "update" && a.Op != "remove" }

type aNumber struct {
	Number int `json:"number"`
}

type aSlice struct {
	Slice *Slice `json:"slice"`
}

func (its aSlice) Check() error {
	if its.Slice == nil {
		return errors.New("no slice")
	}
	return nil
}

type aProgram struct {
	Program *Program `json:"program"`
}

func (its aProgram) Check() error {
	switch {
	case its.Program == nil:
		return errors.New("no program")
	case slices.ContainsFunc(its.Program.Meanwhile, Arrival.senseless):
		return errors.New("an arrival that is no update and no removal of a slice")
	case its.Program.Takes < 0:
		return errors.New("a program that takes less than no time")
	case its.Program.Step < 0: // it would have to go on in another bubble
		return fmt.Errorf("a clock that is set back during a sync: %w", errors.ErrUnsupported)
	}
	return nil
}

// NewChanges writes down what is due to be programmed. A service is a string, or says its name.
func NewChanges[Service any, Name comparable](services []Service, times map[Name][]time.Time) Changes {
	changes := Changes{Services: []string{}, TriggerTimes: map[string][]json.Number{}}
	for _, service := range services {
		changes.Services = append(changes.Services, fmt.Sprint(service))
	}
	for service, its := range times {
		name := fmt.Sprint(service)
		for _, t := range its {
			changes.TriggerTimes[name] = append(changes.TriggerTimes[name], nanoseconds(t))
		}
	}
	return changes
}

func nanoseconds(t time.Time) json.Number {
	ns := big.NewInt(t.Unix())
	ns.Mul(ns, big.NewInt(int64(time.Second))).Add(ns, big.NewInt(int64(t.Nanosecond())))
	return json.Number(ns.String())
}

// object decodes the slice as an informer does what it has been sent, into whatever version of the API. Nothing is shared
// with any other object, for trackers compare them.
func object[EndpointSlice any](slice Slice) *EndpointSlice {
	sent, err := json.Marshal(slice.manifest())
	if err != nil {
		panic(err)
	}
	made := new(EndpointSlice)
	if err := json.Unmarshal(sent, made); err != nil {
		panic(err)
	}
	return made
}

// manifest holds of the API's EndpointSlice what a Slice says; what that leaves out is left out, and is not empty.
type manifest struct {
	Metadata struct {
		Namespace       string            `json:"namespace"`
		Name            string            `json:"name"`
		ResourceVersion string            `json:"resourceVersion"`
		Labels          map[string]string `json:"labels,omitzero"`
		Annotations     map[string]string `json:"annotations,omitzero"`
	} `json:"metadata"`
	AddressType string     `json:"addressType"`
	Ports       []port     `json:"ports,omitempty"`
	Endpoints   []endpoint `json:"endpoints,omitempty"`
}

type port struct {
	Name     string `json:"name"`
	Protocol string `json:"protocol"`
	Port     int32  `json:"port"`
}

type endpoint struct {
	Addresses []string `json:"addresses"`
}

func (s Slice) manifest() manifest {
	var made manifest
	made.Metadata.Namespace = s.Namespace
	made.Metadata.Name = s.Name
	made.Metadata.ResourceVersion = s.ResourceVersion
	made.Metadata.Annotations = s.Annotations
	made.Metadata.Labels = maps.Clone(s.Labels)
	if s.Service != nil {
		if made.Metadata.Labels == nil {
			made.Metadata.Labels = map[string]string{}
		}
		made.Metadata.Labels["kubernetes.io/service-name"] = *s.Service
	}
	made.AddressType = s.AddressType
	for _, number := range s.Ports {
		made.Ports = append(made.Ports, port{fmt.Sprint("p", number), "TCP", number})
	}
	for _, address := range s.Endpoints {
		made.Endpoints = append(made.Endpoints, endpoint{[]string{address}})
	}
	return made
}
