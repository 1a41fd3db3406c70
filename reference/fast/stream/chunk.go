package stream

import (
	"slices"

	rules "github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// chunk finds the earlier occurrences of a chunk by a rolling hash: places of the same hash are chained, the latest
// first, and compared with the chunk.
type chunk struct {
	config   rules.Config
	reach    int    // how many of the latest characters an occurrence that counts can stand in
	power    uint64 // of hashBase, to the length of a chunk
	markdown markdown

	text   []rune // the latest characters of the recorded text: reach of them, and at most twice as many
	hashes []uint64
	before []int // by place in text: an earlier place of the same hash; below first where none is left
	first  int   // the place of text[0] since the text began to be recorded
	hash   uint64
	latest map[uint64]int // by hash, of the chunks in text
}

const hashBase = 0x9E3779B97F4A7C15

func newChunk(c rules.Config) *chunk {
	k := &chunk{config: c, reach: c.ChunkDistance*(c.ChunkCopies-1) + c.ChunkSize, power: 1, latest: map[uint64]int{}}
	for range c.ChunkSize {
		k.power *= hashBase
	}
	return k
}

func (k *chunk) start() {
	k.forget()
	k.markdown = markdown{block: k.markdown.block} // ST-12
}

// forget makes the recorded text empty.
func (k *chunk) forget() {
	k.text, k.hashes, k.before = k.text[:0], k.hashes[:0], k.before[:0]
	k.first, k.hash = 0, 0
	clear(k.latest)
}

func (k *chunk) add(r rune) (spec.Verdict, int) {
	line, out := k.markdown.length, k.markdown.block || k.markdown.fenced
	fence, element := k.markdown.add(r)
	if fence { // ST-11
		k.forget()
	}
	if out || fence { // ST-11, ST-12
		return spec.Verdict{}, 0
	}
	if element { // ST-13
		kept := slices.Clone(k.text[len(k.text)-min(line, len(k.text)):])
		k.forget()
		for _, r := range kept {
			k.record(r)
		}
	}
	v, back := k.record(r)
	if k.markdown.length > 0 && !k.markdown.text { // ST-14
		return spec.Verdict{}, 0
	}
	return v, back
}

// record appends a character to the recorded text and judges the chunk that it ends.
func (k *chunk) record(r rune) (spec.Verdict, int) {
	if len(k.text) >= 2*k.reach {
		k.drop(len(k.text) - k.reach)
	}
	k.text = append(k.text, r)
	size, n := k.config.ChunkSize, len(k.text)
	k.hash = k.hash*hashBase + uint64(r) + 1
	if n > size {
		k.hash -= (uint64(k.text[n-1-size]) + 1) * k.power
	}
	if n < size {
		return spec.Verdict{}, 0
	}
	start := n - size
	earlier, known := k.latest[k.hash]
	if !known {
		earlier = -1
	}
	k.latest[k.hash] = k.first + start
	k.hashes, k.before = append(k.hashes, k.hash), append(k.before, earlier)
	places := k.places(start)
	if len(places) < k.config.ChunkCopies || !k.config.Close(places) || !k.alike(places) { // ST-10
		return spec.Verdict{}, 0
	}
	return k.config.Chunk(), n - places[len(places)-1]
}

// drop forgets the oldest characters.
func (k *chunk) drop(n int) {
	for i, hash := range k.hashes[:n] {
		if k.latest[hash] == k.first+i {
			delete(k.latest, hash)
		}
	}
	k.text = append(k.text[:0], k.text[n:]...)
	k.hashes = append(k.hashes[:0], k.hashes[n:]...)
	k.before = append(k.before[:0], k.before[n:]...)
	k.first += n
}

// places lists the occurrences of the chunk at a place of text, the latest first, and no more than are judged.
func (k *chunk) places(start int) []int { // ST-9
	chunk := k.text[start:]
	places := append(make([]int, 0, 16), start)
	for at := k.before[start] - k.first; at >= 0 && len(places) < k.config.ChunkCopies; at = k.before[at] - k.first {
		if slices.Equal(k.text[at:at+len(chunk)], chunk) {
			places = append(places, at)
		}
	}
	return places
}

// alike reports whether few enough different texts stand between the places.
func (k *chunk) alike(places []int) bool { // ST-10
	var different [][]rune
	for i, at := range places[1:] {
		text := k.text[at:places[i]]
		same := func(other []rune) bool { return slices.Equal(other, text) }
		if !slices.ContainsFunc(different, same) {
			different = append(different, text)
		}
		if len(different) > k.config.ChunkTexts {
			return false
		}
	}
	return true
}
