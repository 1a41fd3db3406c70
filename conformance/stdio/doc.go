// Package stdio is the stdio protocol of Loopstone, version 1: JSON-RPC 2.0, one message per line.
//
// [Serve] is the adapter's half: it makes any [spec.Port] in Go answer to any runner. A [Client] is the runner's half:
// it starts an adapter as a process, and is a Port itself, so that whoever tests does not see the difference. A [Wire]
// is a started adapter and its bare pipes, for checks that have to send what no client would.
//
// Two kinds of error matter to callers and are told apart with errors.As. A [*spec.Fault] is a refusal: the request
// was wrong and the port is well. A [*ProcessError] means that the port is gone, and says why; every later call returns
// it too. Between them stands a [*CodeError]: the port refused, but with an error that the protocol does not have.
package stdio
