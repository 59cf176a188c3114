// Package kubeproxy lets stingy judge the change tracker and the iptables proxier of kube-proxy over driver protocol 1.
package kubeproxy

import (
	"testing"

	"k8s.io/kubernetes/pkg/proxy"
	"stingy.invalid/driver"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

func TestMain(m *testing.M) { driver.Main(m) }

func TestDriver(t *testing.T) {
	driver.Serve(t, kubeproxy.Driver(proxy.NewEndpointsChangeTracker, newTracker, newProxy))
}
