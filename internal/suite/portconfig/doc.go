// Package portconfig reads loopstone.yaml, which says how the port in a folder is tested, so that a call needs no
// flags. It also keeps the record of the tests that failed last, and notices when a file of the port changes, so that
// the port can be tested again. The files that loopstone init writes come from package adapters.
package portconfig
