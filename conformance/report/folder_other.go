//go:build !unix

package report

// syncFolder does nothing: this system cannot write a folder through to the disk.
func syncFolder(string) error { return nil }
