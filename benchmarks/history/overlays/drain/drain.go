package clientgo

import "stingy.invalid/driver"

// These releases drain.
func init() { clientGo.Ops = clientGo.Ops.With(driver.Drain) }
