// Package echoryn lets stingy judge the work queue of github.com/kiosk404/echoryn over driver protocol 1.
package echoryn

import (
	"testing"

	"github.com/kiosk404/echoryn/pkg/utils/workqueue"
	"stingy.invalid/driver"
)

var echoryn = driver.Driver{
	Name:   "echoryn",
	Module: "github.com/kiosk404/echoryn",
	Sample: workqueue.New[string],
	Ops:    driver.Queue,
	Impls:  map[string]func(driver.Options) driver.Candidate{"work_queue": newQueue},
}

func newQueue(driver.Options) driver.Candidate {
	made := workqueue.New[string]()
	return driver.Candidate{Parts: []any{made}, End: made.ShutDown}
}

func TestMain(m *testing.M) { driver.Main(m) }

func TestDriver(t *testing.T) { driver.Serve(t, &echoryn) }
