// Package kubeproxy is what the drivers for kube-proxy have in common, whatever its release.
package kubeproxy

import (
	"net"
	"reflect"
	"time"

	v1 "k8s.io/api/core/v1"
	"stingy.invalid/driver"
)

// What a kube-proxy is started with.
const (
	Host               = "node"
	SyncPeriod         = 30 * time.Second // of the SyncLoop, which is not run
	MinSyncPeriod      = time.Second
	MasqueradeAll      = false
	MasqueradeBit      = 14
	LocalhostNodePorts = false
	InitOnly           = false
)

// Driver makes a driver of the two ways in which a release of kube-proxy is made. The sample is one of its functions. Where
// the tracker is judged elsewhere, there is none.
func Driver(
	sample any, tracker func(v1.IPFamily) driver.Candidate, proxy func(v1.IPFamily, net.IP) driver.Candidate,
) *driver.Driver {
	made := &driver.Driver{
		Name:   "kube-proxy",
		Module: "k8s.io/kubernetes",
		Sample: sample,
		Ops:    ops,
		Impls: map[string]func(driver.Options) driver.Candidate{
			"proxy": func(options driver.Options) driver.Candidate { return proxy(node(options)) },
		},
		Passive:   []string{"proxy"},
		Meanwhile: true,
	}
	if tracker != nil {
		made.Ops = ops.With(checkout)
		made.Impls["change_tracker"] = func(options driver.Options) driver.Candidate {
			family, _ := node(options)
			return tracker(family)
		}
	}
	return made
}

// Private is a field that upstream's keep to themselves.
func Private(of any, field string) reflect.Value {
	its := reflect.ValueOf(of).Elem().FieldByName(field)
	return reflect.NewAt(its.Type(), its.Addr().UnsafePointer()).Elem()
}

// node is the IP family that is asked for, and an address of the node.
func node(options driver.Options) (v1.IPFamily, net.IP) {
	if options.IPFamily == string(v1.IPv6Protocol) {
		return v1.IPv6Protocol, net.IPv6loopback
	}
	return v1.IPv4Protocol, net.IPv4(192, 0, 2, 1)
}
