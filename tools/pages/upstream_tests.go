package pages

// Demands are the tests that a project has of its detector, as of a commit, and which cases say the same.
type Demands struct {
	Project, Commit string
	Said            int      // tests whose demand the cases say
	Cases           []string // of composed, without composed-profile- where all of them begin so
	Streams         int      // tests of streamed text whose demand the cases say
	Streamed        []string // of stream, without stream-profile- where all of them begin so
	Outside         int      // the other tests
	About           string   // what these are about
}

// Tests returns how many there are.
func (d Demands) Tests() int { return d.Said + d.Streams + d.Outside }

// demands lists the projects whose tests were read, one by one.
var demands = []Demands{
	{
		Project: "google-gemini/gemini-cli", Commit: "5411f113ca", Said: 12, Streams: 29, Outside: 16,
		Cases: []string{
			"gemini-cli-fifth-and-all-after", "gemini-cli-three-calls-in-turn", "gemini-cli-next-call-of-the-cycle",
			"gemini-cli-five-calls-in-turn", "gemini-cli-a-call-that-varies", "gemini-cli-words-between",
			"gemini-cli-says-stop-at-once",
		},
		Streamed: []string{
			"gemini-cli-sentence", "gemini-cli-short-piece", "gemini-cli-far-apart", "gemini-cli-entries", "gemini-cli-block",
			"gemini-cli-block-after-lines", "gemini-cli-after-block", "gemini-cli-table", "gemini-cli-item",
			"gemini-cli-number", "gemini-cli-heading", "gemini-cli-quotation", "gemini-cli-call",
		},
		About: "the judgement of a model (13), the switch (3)",
	},
	{
		Project: "RooCodeInc/Roo-Code", Commit: "cb83656718", Said: 16, Outside: 9,
		Cases: []string{"roo-asks-at-the-fourth", "roo-scrolls", "roo-sorts-members", "roo-other-arguments"},
		About: "other limits (6), messages (1), how calls are written (2)",
	},
	{
		Project: "charmbracelet/crush", Commit: "37f36e9", Said: 12,
		Cases: []string{
			"crush-six-among-ten", "crush-five-among-ten", "crush-fewer-than-ten", "crush-steps-of-words",
			"crush-ids-are-not-compared",
		},
	},
	{
		Project: "OpenHands/software-agent-sdk", Commit: "611629e69", Said: 13, Outside: 2,
		Cases: []string{
			"openhands-equal-actions", "openhands-nudge-before-stuck", "openhands-recovers", "openhands-monologue",
			"openhands-after-other-actions", "openhands-starts-afresh",
		},
		About: "other thresholds",
	},
	{
		Project: "browser-use/browser-use", Commit: "85ddbfedf", Said: 20, Outside: 19,
		Cases: []string{"browser-use-three-rungs", "browser-use-slides", "browser-use-tells-actions-apart"},
		About: "pages (9), similar searches and inputs (6), messages (2), settings (2)",
	},
	{
		Project: "cline/cline", Commit: "21cb8d2", Said: 2, Outside: 3,
		Cases: []string{"cline-soft-then-hard", "cline-starts-again"},
		About: "the switch, settings, what follows a stop",
	},
}
