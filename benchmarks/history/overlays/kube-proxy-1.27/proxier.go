package kubeproxy

import (
	"net"

	v1 "k8s.io/api/core/v1"
	sysctltest "k8s.io/component-helpers/node/util/sysctl/testing"
	"k8s.io/kubernetes/pkg/proxy/iptables"
	proxyutiliptables "k8s.io/kubernetes/pkg/proxy/util/iptables"
	utiliptables "k8s.io/kubernetes/pkg/util/iptables"
	exectest "k8s.io/utils/exec/testing"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

func newProxier(family v1.IPFamily, tables utiliptables.Interface, nodeIP net.IP) (*iptables.Proxier, error) {
	return iptables.NewProxier(
		family, tables, sysctltest.NewFake(), &exectest.FakeExec{}, kubeproxy.SyncPeriod, kubeproxy.MinSyncPeriod,
		kubeproxy.MasqueradeAll, kubeproxy.LocalhostNodePorts, kubeproxy.MasqueradeBit,
		proxyutiliptables.NewNoOpLocalDetector(), kubeproxy.Host, nodeIP, nil, nil, nil)
}
