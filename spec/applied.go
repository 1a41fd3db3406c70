package spec

// ClauseLog collects the ids of the clauses that a detector applied to an event. Detectors of the reference write to
// it wherever they take a decision, so that it can be proved that a case exercises the clauses that it cites. A nil
// ClauseLog, the normal state, records nothing.
type ClauseLog struct {
	ids []string
}

// Apply notes that a clause decided something.
func (l *ClauseLog) Apply(id string) {
	if l != nil {
		l.ids = append(l.ids, id)
	}
}

// Take returns the ids noted since the last Take, in their order, and empties the log.
func (l *ClauseLog) Take() []string {
	ids := l.ids
	l.ids = nil
	return ids
}

// ClauseLogger is implemented by a Detector that can say which clauses it applies. LogClauses makes it write to the
// log from now on; nil stops it.
type ClauseLogger interface {
	LogClauses(*ClauseLog)
}
