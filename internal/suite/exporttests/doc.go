// Package exporttests is what loopstone export writes of tests, for test runners that know nothing of Loopstone: one
// file of plain data, and a short test file in the idiom of the runner. The folder runners has a template of that for
// each runner, and runner.go the table of them.
package exporttests
