package kubeproxy

import (
	"net"

	v1 "k8s.io/api/core/v1"
	sysctltest "k8s.io/component-helpers/node/util/sysctl/testing"
	"k8s.io/kubernetes/pkg/proxy"
	"k8s.io/kubernetes/pkg/proxy/iptables"
	"k8s.io/kubernetes/pkg/proxy/metrics"
	proxyutiliptables "k8s.io/kubernetes/pkg/proxy/util/iptables"
	"k8s.io/kubernetes/pkg/util/async"
	exectest "k8s.io/utils/exec/testing"
	"stingy.invalid/driver"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

func newTracker(family v1.IPFamily) driver.Candidate {
	changes, endpoints := proxy.NewEndpointsChangeTracker(kubeproxy.Host, nil, family, nil, nil), proxy.EndpointsMap{}
	return kubeproxy.NewTracker(changes, func() kubeproxy.HandedOver {
		result := endpoints.Update(changes)
		return func() kubeproxy.Changes {
			return kubeproxy.NewChanges(result.UpdatedServices.UnsortedList(), result.LastChangeTriggerTimes)
		}
	})
}

var syncRunner = async.NewBoundedFrequencyRunner(
	"", func() {}, kubeproxy.MinSyncPeriod, kubeproxy.SyncPeriod, 1)

func newProxy(family v1.IPFamily, nodeIP net.IP) driver.Candidate {
	tables, latency := kubeproxy.NewTables(family), kubeproxy.Unlabelled(&metrics.NetworkProgrammingLatency)
	proxier, err := iptables.NewProxier(
		family, tables, sysctltest.NewFake(), &exectest.FakeExec{}, kubeproxy.SyncPeriod, kubeproxy.MinSyncPeriod,
		kubeproxy.MasqueradeAll, kubeproxy.LocalhostNodePorts, kubeproxy.MasqueradeBit,
		proxyutiliptables.NewNoOpLocalDetector(), kubeproxy.Host, nodeIP, nil, nil, nil, kubeproxy.InitOnly)
	if err != nil {
		panic(err)
	}
	return kubeproxy.NewProxy(proxier, tables, latency, syncRunner)
}
