//go:build !linux

package main

// startedWithoutOutput is known on Linux alone.
func startedWithoutOutput() bool { return false }

// checkAddressSpace is for Linux alone.
func checkAddressSpace() error { return nil }
