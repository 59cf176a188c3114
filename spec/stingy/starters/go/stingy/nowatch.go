//go:build !unix

package driver

func watch() {}
