// Package cover proves that the cases exercise the clauses that they cite.
//
// A citation is a claim: this case tests that clause. The reference says, while a case runs, which clauses decided
// something; what decides before or beside the events (a configuration, a function, a line of the protocol) is told by
// what the case does. A case that cites a clause which it never comes to, and a clause with the level MUST that no case
// comes to, are faults of the suite.
package cover
