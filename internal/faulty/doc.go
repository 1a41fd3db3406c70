// Package zoo holds adapters that misbehave, each in one way, for tests of whatever talks to adapters.
//
// An animal is an honest server whose answers pass over a stage, where one of them is spoilt. It runs as a process of
// its own: a test binary calls [MainIfAsked] in its TestMain and starts itself with [Command]. Who writes an adapter or
// runs the suite needs none of this.
package faulty
