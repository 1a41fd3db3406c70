// Package fuzz looks for faults that no case was written for: it generates traces and function calls, plays them to a
// port, and checks them against an oracle and against the laws of package laws. What it finds is shrunk to a few
// events, and can be committed as a case.
package fuzz
