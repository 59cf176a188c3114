// Package kubeproxy lets stingy judge the ipvs proxier of kube-proxy over driver protocol 1.
package kubeproxy

import (
	"testing"

	"k8s.io/kubernetes/pkg/proxy/ipvs"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
	"stingy.invalid/driver"
)

func TestMain(m *testing.M) { driver.Main(m) }

func TestDriver(t *testing.T) {
	driver.Serve(t, kubeproxy.Driver(ipvs.NewProxier, nil, newProxy))
}
