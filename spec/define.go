package spec

// Function is a pure function of a detector. Its error is a [*Fault].
type Function = func(reading Reading, args Value) (Value, error)

// Constructor returns a detector with an empty trace. Its error is a [*Fault] of kind [InvalidConfig], for faults that
// the detector's row does not find.
type Constructor = func(Settings) (Detector, error)

// Define returns a detector of the specification as [NewHost] takes it: its row says what it offers and reads its
// configurations.
func Define(id DetectorID, detector Constructor, functions map[string]Function) Implementation {
	row, _ := DefinitionOf(id)
	offer := row.Offer().Without(Shared) // a shared swarm takes a store
	return Implementation{Offer: offer, New: offer.reading(detector), Functions: functions}
}

// reading returns the function New of an [Implementation], which reads the configuration before it opens a detector.
func (o Offer) reading(open Constructor) func(Reading, Value) (Detector, error) {
	return func(r Reading, config Value) (Detector, error) {
		s, err := o.Read(r, config)
		if err != nil {
			return nil, err
		}
		return open(s)
	}
}
