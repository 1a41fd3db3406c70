package spec

// part says which part of a JSON value is kept. The rest is read, because it must be JSON, but takes no memory. A nil
// part keeps nothing; any other part keeps a text, a number, a boolean or a null.
type part struct {
	members map[string]*part // of an object; members that are not named are not kept
	items   *part            // of each item of an array; nil keeps no items
}

var (
	whole  = everything() // keeps all of a value
	scalar = &part{}      // keeps an array or an object without its content
)

func everything() *part {
	p := &part{}
	p.items = p
	return p
}

func (p *part) item() *part {
	if p == nil {
		return nil
	}
	return p.items
}

func (p *part) member(name string) *part {
	if p == nil || p == whole {
		return p
	}
	return p.members[name]
}

// scalars returns the part that keeps these members of an object, without the content of arrays and objects.
func scalars(names ...string) *part {
	p := &part{members: map[string]*part{}}
	for _, name := range names {
		p.members[name] = scalar
	}
	return p
}

// response keeps what the protocol knows of a response, whatever its method (PR-4).
var response = &part{members: map[string]*part{
	"jsonrpc": scalar,
	"id":      scalar,
	"result":  partOfResult(),
	"error": {members: map[string]*part{
		"code": scalar, "message": scalar, "data": scalars("kind", "field", "feature"),
	}},
}}

func partOfResult() *part {
	p := scalars("protocol", "name", "version", "language", "url")
	p.members["detectors"], p.members["state"], p.members["value"] = whole, whole, whole
	p.members["verdicts"] = &part{items: partOfVerdict()}
	return p
}

func partOfVerdict() *part {
	p := scalars(VerdictMembers()...)
	p.members["evidence"] = &part{items: scalar}
	return p
}

// ParseResponse is [ParseValue] of a response of the protocol. Members that the protocol does not know are left out
// (PR-4), so that a value takes no more memory than the protocol needs, whatever an adapter writes.
func ParseResponse(line []byte) (Value, error) { return parsePart(line, response) }
