package stream

// markdown reads a text character by character and says what the rule chunk must leave out.
type markdown struct {
	block  bool // within a code block
	fenced bool // the line has a fence
	ticks  int  // backticks in a row that are no fence yet
	lead   lead // what the beginning of the line may become
	signs  int  // how many of | + - stand there
	length int  // of the line
	text   bool // the line has a character that no horizontal rule has
}

// lead is what the line began with.
type lead int

const (
	begin   lead = iota
	indent       // blanks
	hashes       // heading
	quote        // quotation
	star         // item
	plus         // item, or table
	digits       // item
	dot          // item, after its number
	bar          // table
	cell         // table: anything after the bar
	dashes       // table
	nothing      // no element, or one that was reported
)

// add takes in a character. It returns whether the character completes a fence, and whether it completes the beginning
// of an element.
func (m *markdown) add(r rune) (fence, element bool) {
	m.length++
	if r == '`' {
		m.ticks++
	} else {
		m.ticks = 0
	}
	if m.ticks == 3 { // ST-11, ST-12
		m.ticks, m.fenced, m.block = 0, true, !m.block
		fence = true
	}
	element = m.begins(r)
	if element {
		m.lead = nothing
	}
	m.text = m.text || !isRule(r) // ST-14
	if r == '\n' {
		*m = markdown{block: m.block}
	}
	return fence, element
}

func isRule(r rune) bool {
	return r == '+' || r == '-' || r == '_' || r == '=' || r == '*' || '\u2500' <= r && r <= '\u257F'
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' }

// begins reports whether the character completes the beginning of an element.
func (m *markdown) begins(r rune) bool { // ST-13
	switch m.lead {
	case begin, indent:
		m.lead = m.first(r)
		m.signs = 1
		return false
	case hashes:
		return m.ends(r, r == '#')
	case quote, star, dot:
		return m.ends(r, false)
	case digits:
		if r == '.' {
			m.lead = dot
		} else if r < '0' || r > '9' {
			m.lead = nothing
		}
		return false
	case plus, bar, dashes:
		return m.rules(r)
	default:
		return m.lead == cell && r == '|'
	}
}

// first returns what the first character that is no blank, or another blank, begins.
func (m *markdown) first(r rune) lead {
	switch {
	case r == ' ' || r == '\t' || r == '\r':
		return indent
	case r == '#' && m.lead == begin:
		return hashes
	case r == '>' && m.lead == begin:
		return quote
	case r == '*':
		return star
	case r == '+':
		return plus
	case '0' <= r && r <= '9':
		return digits
	case r == '|':
		return bar
	case r == '-':
		return dashes
	default:
		return nothing
	}
}

// ends reports whether the blank follows that an element wants; goesOn says that the character may stand before it.
func (m *markdown) ends(r rune, goesOn bool) bool {
	if !isBlank(r) && !goesOn {
		m.lead = nothing
	}
	return isBlank(r)
}

// rules reports whether the line begins like one of a table, which begins with one of | + -.
func (m *markdown) rules(r rune) bool {
	switch {
	case m.lead == plus && m.signs == 1 && isBlank(r), m.lead == bar && r == '|':
		return true
	case r == '|' || r == '+' || r == '-':
		m.signs++
		return m.signs == 3
	case m.lead == bar:
		m.lead = cell
	default:
		m.lead = nothing
	}
	return false
}
