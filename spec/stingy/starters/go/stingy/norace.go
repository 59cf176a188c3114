//go:build !race

package driver

func unseen(what func()) { what() }
