// Package exporttests writes the tests of a detector for test runners that know nothing of Loopstone: one file of plain
// data, and a short test file in the idiom of the runner.
package exporttests
