//go:build race

package tracegen

import (
	"fmt"
	"os"
	"testing"
)

// TestMain leaves this package to the run without the race detector: nothing here runs at the same time as anything
// else, and the detector makes it ten times as slow.
func TestMain(*testing.M) {
	fmt.Println("left to the run without the race detector")
	os.Exit(0)
}
