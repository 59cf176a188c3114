package kubeproxy

import (
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	utiliptables "k8s.io/kubernetes/pkg/util/iptables"
	iptablestest "k8s.io/kubernetes/pkg/util/iptables/testing"
	"stingy.invalid/driver/sched"
)

// Tables stand in for the kernel's tables, as upstream's own do. Changing them takes its time, and may fail.
type Tables struct {
	*iptablestest.FakeIPTables
	program Program
	arrive  func() // has what the runner says arrive
	reload  func() // has the proxier sync at once, as if somebody else had flushed the tables
}

// NewTables makes the tables of an IP family.
func NewTables(family v1.IPFamily) *Tables {
	if family == v1.IPv6Protocol {
		return &Tables{FakeIPTables: iptablestest.NewIPv6Fake()}
	}
	return &Tables{FakeIPTables: iptablestest.NewFake()}
}

func (t *Tables) Monitor(_ utiliptables.Chain, _ []utiliptables.Table, reload func(), _ time.Duration, _ <-chan struct{}) {
	t.reload = reload
}

func (t *Tables) RestoreAll(data []byte, flush utiliptables.FlushFlag, counters utiliptables.RestoreCountersFlag) error {
	time.Sleep(t.program.Takes + t.program.Step)
	sched.SetClock(t.program.Step)
	t.arrive()
	if !t.program.OK {
		return errors.New("the runner wants it to fail")
	}
	return t.FakeIPTables.RestoreAll(data, flush, counters)
}
