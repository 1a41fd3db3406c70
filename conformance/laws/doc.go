// Package laws holds the laws of loop detectors: sentences that are true of every trace, so that they can be
// checked on generated ones, and on the traces of any case, without knowing the right verdicts.
//
// A [Law] says for which detectors and readings it holds, and proves by a counterexample where it does not. The
// package also verifies the evidence of verdicts, by rules that are independent of every detector.
package laws
