package spec

// Version is the version of the specification and of the suite that tests it, by the rules of semantic versioning: a
// port that is conformant to 1.2.0 is conformant to 1.2.1, and may fail cases that 1.3.0 adds.
const Version = "0.1.0"
