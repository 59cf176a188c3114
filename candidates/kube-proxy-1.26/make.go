package kubeproxy

import (
	"net"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/proxy/metrics"
	"k8s.io/kubernetes/pkg/util/async"
	"stingy.invalid/driver"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

var syncRunner = async.NewBoundedFrequencyRunner(
	"", func() {}, kubeproxy.MinSyncPeriod, kubeproxy.SyncPeriod, 1)

func newProxy(family v1.IPFamily, nodeIP net.IP) driver.Candidate {
	tables, latency := kubeproxy.NewTables(family), kubeproxy.Unlabelled(&metrics.NetworkProgrammingLatency)
	proxier, err := newProxier(family, tables, nodeIP)
	if err != nil {
		panic(err)
	}
	return kubeproxy.NewProxy(proxier, tables, latency, syncRunner)
}
