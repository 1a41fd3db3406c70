// Package conformance runs the suite against a [spec.Port] and says what the port gets wrong, which clause it breaks
// and why that matters.
//
// [Run] is the one entry: it takes any Port, be it in this process or behind the stdio protocol, and returns a
// [Report]. The report is plain data; package conformance/report renders it.
//
// The package does not know the reference. Where an oracle is needed, it is given one.
package conformance
