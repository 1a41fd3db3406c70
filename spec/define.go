package spec

// Function is a pure function of a detector. Its error is a [*Fault].
type Function = func(reading Reading, args Value) (Value, error)

// Define returns a detector of the specification as [NewHost] takes it: its row says what it offers and reads its
// configurations. The detector that open returns is made of the plain rules, which have no snapshots; [Faster] adds a
// twin with snapshots. The error of open is a [*Fault] of kind [InvalidConfig], for faults that the row does not find.
func Define(id DetectorID, open func(Settings) (Detector, error), functions map[string]Function) Implementation {
	row, _ := DefinitionOf(id)
	offer := row.Offer().Without(Snapshots).Without(Shared) // a shared swarm takes a store
	return Implementation{Offer: offer, New: offer.reading(open), Functions: functions}
}

// Faster returns a detector that gives the same verdicts as the rules, but faster, and has snapshots.
func Faster(rules Implementation, open func(Settings) (Detector, error)) Implementation {
	row, _ := DefinitionOf(rules.Detector)
	offer := row.Offer().Without(Shared)
	return Implementation{Offer: offer, New: offer.reading(open), Functions: rules.Functions}
}

// reading returns the function New of an [Implementation], which reads the configuration before it opens a detector.
func (o Offer) reading(open func(Settings) (Detector, error)) func(Reading, Value) (Detector, error) {
	return func(r Reading, config Value) (Detector, error) {
		s, err := o.Read(r, config)
		if err != nil {
			return nil, err
		}
		return open(s)
	}
}
