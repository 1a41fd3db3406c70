package stream

import (
	"math/bits"
	"slices"

	rules "github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// chunk finds the earlier occurrences of a chunk by a rolling hash: places whose hashes fall into the same bucket are
// chained, the latest first, and compared with the chunk.
type chunk struct {
	config   rules.Config
	reach    int    // how many of the latest characters an occurrence that counts can stand in
	power    uint64 // of hashBase, to the length of a chunk
	markdown markdown

	text    []rune  // the latest characters of the recorded text: reach of them, and at most a quarter more
	hash    uint64  // of the chunk at its end
	before  []int32 // by place in text, the place before it in its chain; 0 for none, so places count from 1
	latest  []int32 // by bucket, the latest place in its chain; likewise
	shifted int     // a bucket has the highest bits of a hash: how many bits are left out
}

const hashBase = 0x9E3779B97F4A7C15

func newChunk(c rules.Config) *chunk {
	k := &chunk{config: c, reach: c.ChunkDistance*(c.ChunkCopies-1) + c.ChunkSize, power: 1}
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
	k.text, k.before, k.hash = k.text[:0], k.before[:0], 0
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
	if len(k.text) > k.reach+k.reach/4 {
		k.text = append(k.text[:0], k.text[len(k.text)-k.reach:]...)
		k.chain(len(k.latest))
	}
	k.text = append(k.text, r)
	n := len(k.text)
	if n > len(k.latest) {
		k.chain(max(2*len(k.latest), fewestBuckets))
	} else {
		k.link(n)
	}
	start := n - k.config.ChunkSize
	if start < 0 {
		return spec.Verdict{}, 0
	}
	places := k.places(start)
	if len(places) < k.config.ChunkCopies || !k.config.Close(places) || !k.alike(places) { // ST-10
		return spec.Verdict{}, 0
	}
	return k.config.Chunk(), n - places[len(places)-1]
}

// fewestBuckets is a power of two, as every number of buckets is.
const fewestBuckets = 64

// chain builds the chains of all places of the text, in so many buckets.
func (k *chunk) chain(buckets int) {
	if buckets == len(k.latest) {
		clear(k.latest)
	} else {
		k.latest, k.shifted = make([]int32, buckets), 64-bits.TrailingZeros(uint(buckets))
	}
	k.before, k.hash = k.before[:0], 0
	for i := range k.text {
		k.link(i + 1)
	}
}

// link adds the place of the chunk that ends with the nth character to its chain.
func (k *chunk) link(n int) {
	k.hash = k.hash*hashBase + uint64(k.text[n-1]) + 1
	start := n - k.config.ChunkSize
	if start > 0 {
		k.hash -= (uint64(k.text[start-1]) + 1) * k.power
	}
	if start < 0 {
		return
	}
	latest := &k.latest[k.hash*hashBase>>k.shifted]
	k.before = append(k.before, *latest)
	*latest = int32(start) + 1
}

// places lists the occurrences of the chunk at a place of text, the latest first, and no more than are judged.
func (k *chunk) places(start int) []int { // ST-9
	chunk := k.text[start:]
	places := append(make([]int, 0, 16), start)
	for at := int(k.before[start]) - 1; at >= 0 && len(places) < k.config.ChunkCopies; at = int(k.before[at]) - 1 {
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
