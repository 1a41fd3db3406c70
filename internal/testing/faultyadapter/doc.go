// Package faultyadapter holds adapters that misbehave, each in one way, for tests of whatever talks to adapters.
//
// An adapter answers correctly, except that one answer is spoilt before it is sent. It runs as a process of its own: a
// test binary calls [MainIfAsked] in its TestMain and starts itself with [Command]. Who writes an adapter or runs the
// suite needs none of this.
package faultyadapter
