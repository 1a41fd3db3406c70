// Package leaktest finds what a test binary leaves behind: goroutines, processes, open files, and files in the temporary
// folder. A runner that leaks one of them per case brings down the machine of whoever runs it all day.
//
// Processes and open files are found through /proc; where there is none, nothing is found of these.
package leaktest
