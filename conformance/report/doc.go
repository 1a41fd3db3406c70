// Package report renders a [conformance.Report] for people and for machines, reads back what it has written, and joins
// the reports of a run that was split.
//
// It judges nothing: what a report means, [conformance.Report.Outcome] says. Every rendering names what was not
// checked as loudly as what passed, and none of them looks like a success when nothing was checked.
package report
