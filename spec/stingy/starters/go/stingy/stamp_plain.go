//go:build !race

package driver

func stamp() int64 { return stamps.Add(1) }
