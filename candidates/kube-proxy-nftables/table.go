package kubeproxy

import (
	"context"
	"os"
	"path/filepath"

	v1 "k8s.io/api/core/v1"
	"sigs.k8s.io/knftables"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

// table stands in for the kernel's table, as knftables' own does.
type table struct {
	*knftables.Fake
	kubeproxy.Kernel
}

// newTable takes what the proxier's runner does when it is its turn.
func newTable(family v1.IPFamily, sync func() error) *table {
	its := knftables.IPv4Family
	if family == v1.IPv6Protocol {
		its = knftables.IPv6Family
	}
	made := &table{Fake: knftables.NewFake(its, "kube-proxy")}
	made.Reload = func() { _ = sync() } // an error means that the runner would try again
	return made
}

// Run is one transaction. Where there are no chains to be removed of services that have gone, a sync has but one.
func (t *table) Run(ctx context.Context, transaction *knftables.Transaction) error {
	if err := t.Program(); err != nil {
		return err
	}
	return t.Fake.Run(ctx, transaction)
}

// beforeAKernel has done what needs a machine that may write rules: when a proxier is made, it asks whether there is an nft
// that may do so, and a kernel that takes them. For as long, nft is a program that says yes to everything.
func beforeAKernel(do func()) {
	folder, err := os.MkdirTemp("", "stingy-nft-")
	check(err)
	defer func() { check(os.RemoveAll(folder)) }()
	check(os.Symlink("/bin/true", filepath.Join(folder, "nft")))
	check(os.Setenv("PATH", folder))
	check(os.Setenv("KUBE_PROXY_NFTABLES_SKIP_KERNEL_VERSION_CHECK", "1"))
	do()
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
