// Package detectortest holds what the tests of several detectors share: laws of all detectors, stated once, and values
// to state them on.
package detectortest
