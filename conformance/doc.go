// Package conformance runs the suite against a [spec.Port] and reports what the port gets wrong, which clause it
// breaks and why that matters. Most Go teams need only [Test], or [TestDetector] for a detector without
// configuration: one line in a test of their own.
//
// [Run] takes any Port, in this process or behind the stdio protocol, and returns a [Report]. The report is plain data;
// package conformance/report renders it.
//
// The package does not know the reference. It is given an oracle: no port is accused of a failure that the oracle
// shares.
package conformance
