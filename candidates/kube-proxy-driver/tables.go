package kubeproxy

import (
	"time"

	v1 "k8s.io/api/core/v1"
	utiliptables "k8s.io/kubernetes/pkg/util/iptables"
	iptablestest "k8s.io/kubernetes/pkg/util/iptables/testing"
)

// Tables stand in for the kernel's tables, as upstream's own do.
type Tables struct {
	*iptablestest.FakeIPTables
	Kernel
}

// NewTables makes the tables of an IP family.
func NewTables(family v1.IPFamily) *Tables {
	if family == v1.IPv6Protocol {
		return &Tables{FakeIPTables: iptablestest.NewIPv6Fake()}
	}
	return &Tables{FakeIPTables: iptablestest.NewFake()}
}

// Monitor keeps what the proxier does where somebody else has flushed the tables: it syncs at once.
func (t *Tables) Monitor(_ utiliptables.Chain, _ []utiliptables.Table, reload func(), _ time.Duration, _ <-chan struct{}) {
	t.Reload = reload
}

func (t *Tables) RestoreAll(data []byte, flush utiliptables.FlushFlag, counters utiliptables.RestoreCountersFlag) error {
	if err := t.Program(); err != nil {
		return err
	}
	return t.FakeIPTables.RestoreAll(data, flush, counters)
}
