package stdio

import "os"

// strays returns nothing: under WASI there are no processes.
func strays(int, string) []string { return nil }

// signalOf returns nothing.
func signalOf(*os.ProcessState) string { return "" }

// isBeingWritten reports nothing.
func isBeingWritten(error) bool { return false }

// shortage returns why nothing starts.
func shortage(error) string { return "under WASI, no program can start another" }
