package shared

import "encoding/binary"

// The part of MessagePack that the scripts are asked in: https://github.com/msgpack/msgpack/blob/master/spec.md

// appendText appends the text that the parts are together.
func appendText(out []byte, parts ...string) []byte {
	length := 0
	for _, p := range parts {
		length += len(p)
	}
	switch {
	case length < 1<<5:
		out = append(out, 0xa0|byte(length))
	case length < 1<<8:
		out = append(out, 0xd9, byte(length))
	case length < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, 0xda), uint16(length))
	default:
		out = binary.BigEndian.AppendUint32(append(out, 0xdb), uint32(length))
	}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// appendList appends the head of a list, whose entries follow.
func appendList(out []byte, length int) []byte {
	if length < 1<<4 {
		return append(out, 0x90|byte(length))
	}
	return binary.BigEndian.AppendUint32(append(out, 0xdd), uint32(length))
}

// appendNumber appends a number that is not negative.
func appendNumber(out []byte, n int) []byte {
	if n < 1<<7 {
		return append(out, byte(n))
	}
	return binary.BigEndian.AppendUint64(append(out, 0xcf), uint64(n))
}

func appendFlag(out []byte, is bool) []byte {
	if is {
		return append(out, 1)
	}
	return append(out, 0)
}
