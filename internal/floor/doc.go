// Package floor says what a port scores that knows nothing.
//
// A suite whose cases mostly expect no loop would praise a port that never speaks. The floor is the best score among
// ports that guess: always a loop, never, after a few events, when an event is as the one before. Beside it a port's own
// score means something, and where the floor is low, passing is no accident.
package floor
