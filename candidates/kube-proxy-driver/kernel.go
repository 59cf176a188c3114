package kubeproxy

import (
	"errors"
	"time"

	"stingy.invalid/driver/sched"
)

// Kernel is part of what stands in for that of the machine. To program it takes its time, and may fail.
type Kernel struct {
	Reload func() // has the proxier sync at once

	program Program
	arrive  func() // has what the runner says arrive
}

// Program is called where the rules are written, before they are.
func (k *Kernel) Program() error {
	time.Sleep(k.program.Takes + k.program.Step)
	sched.SetClock(k.program.Step)
	k.arrive()
	if !k.program.OK {
		return errors.New("the runner wants it to fail")
	}
	return nil
}

func (k *Kernel) kernel() *Kernel { return k }
