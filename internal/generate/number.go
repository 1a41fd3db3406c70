package generate

import "github.com/loopstone/loopstone/spec"

// Numbers in the arguments of calls, by who can tell them apart.
var (
	// everyNumber means the same to a port of every language, and differs from every other one of the list, but for -0
	// and 0.10.
	everyNumber = numbers("1", "0", "2", "-1", "-0", "0.5", "0.1", "0.10", "-2.5", "100", "1000000", "123456.789",
		"0.0001", "0.00001", "9007199254740991", "-9007199254740991")

	// doubles need a port that reads every number as one, in the shortest spelling of RFC 8785.
	doubles = numbers("1.0", "1e0", "1E0", "10e-1", "-0.0", "0.0", "1e2", "100.0", "1E+2", "1e21", "1e20", "1e-7", "1e-6",
		"9007199254740992", "9007199254740993", "12345678901234567890", "1e308", "5e-324", "333333333.33333329", "4.50", "2e-3",
		"1.7976931348623157e308", "0.000000000000000000000000001")

	// pythons need a port that tells 1 from 1.0 and has integers of any length.
	pythons = numbers("1.0", "1e0", "1.00", "-0.0", "0.0", "100.0", "1e2", "1e5", "1e15", "1e16", "9999999999999998.0", "1e22",
		"1e-4", "1e-5", "15e-8", "1E-7", "9007199254740993", "123456789012345678901234567890",
		"-1234567890123456789012345678901234567890", "5e-324", "0.1e1")

	// infinities are beyond a double; the detector history alone says what becomes of them.
	infinities = numbers("1e400", "-1e400", "2E308")

	times = numbers("0", "1", "5", "1000", "1700000000000", "1700000000000.25", "0.5", "12.25", "1e3", "-1", "9e15")
)

func numbers(spellings ...string) []spec.Value {
	list := make([]spec.Value, len(spellings))
	for i, s := range spellings {
		list[i] = spec.NumberValue(s)
	}
	return list
}
