package memory

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest stands for a text in a memory, which must not grow with the texts of an agent: half of its SHA-256 sum. Equal
// texts have equal digests, and nobody finds two texts with one digest. The zero Digest stands for no text.
type Digest [sha256.Size / 2]byte

// DigestOf returns the digest of a text.
func DigestOf[T string | []byte](text T) Digest {
	sum := sha256.Sum256([]byte(text))
	return Digest(sum[:len(Digest{})])
}

// MarshalText implements [encoding.TextMarshaler].
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. A text that is no digest leaves another digest, see
// [Detector.Restore].
func (d *Digest) UnmarshalText(text []byte) error {
	sum, _ := hex.DecodeString(string(text))
	copy(d[:], sum)
	return nil
}
