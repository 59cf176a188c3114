package kubeproxy

import (
	"context"
	"net"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	sysctltest "k8s.io/component-helpers/node/util/sysctl/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/proxy"
	"k8s.io/kubernetes/pkg/proxy/iptables"
	"k8s.io/kubernetes/pkg/proxy/runner"
	proxyutil "k8s.io/kubernetes/pkg/proxy/util"
	"stingy.invalid/driver"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

func newTracker(family v1.IPFamily) driver.Candidate {
	changes, endpoints := proxy.NewEndpointsChangeTracker(family, kubeproxy.Host, nil, nil), proxy.EndpointsMap{}
	return kubeproxy.NewTracker(changes, func() kubeproxy.Changes {
		result := endpoints.Update(changes)
		return kubeproxy.NewChanges(result.UpdatedServices.UnsortedList(), result.LastChangeTriggerTimes)
	})
}

// SyncRunner is one that nobody runs.
var SyncRunner = runner.NewBoundedFrequencyRunner(
	"", func() error { return nil }, kubeproxy.MinSyncPeriod, kubeproxy.SyncPeriod, kubeproxy.SyncPeriod)

func newProxy(family v1.IPFamily, nodeIP net.IP) driver.Candidate {
	tables, latency := kubeproxy.NewTables(family), NewLatency(family)
	proxier, err := iptables.NewProxier(
		klog.NewContext(context.Background(), logr.New(latency)), family, tables, sysctltest.NewFake(),
		kubeproxy.SyncPeriod, kubeproxy.MinSyncPeriod, kubeproxy.MasqueradeAll, kubeproxy.LocalhostNodePorts,
		kubeproxy.MasqueradeBit, proxyutil.NewNoOpLocalDetector(), kubeproxy.Host, nodeIP, nil, nil, nil,
		kubeproxy.InitOnly)
	if err != nil {
		panic(err)
	}
	// Where the kernel has counters of packets, and the driver may, the proxier would add its own to those of the machine
	// that the driver runs on. They have no bearing on what is judged.
	kubeproxy.Private(proxier, "nfacct").SetZero()
	return kubeproxy.NewProxy(proxier, tables, latency, SyncRunner)
}
