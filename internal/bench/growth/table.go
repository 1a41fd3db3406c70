package growth

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteTable prints the curves: what an event costs on average in traces of each length, the exponent of the fit, the
// memory, and what grows.
func WriteTable(w io.Writer, curves []Curve) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "detector\tworkload\t")
	for _, p := range curves[0].Points {
		fmt.Fprintf(table, "%d events\t", p.Events)
	}
	fmt.Fprint(table, "exponent\tmemory\tgrows\t\n")
	for _, c := range curves {
		fmt.Fprintf(table, "%s\t%s\t", c.Name(), c.Workload)
		for _, p := range c.Points {
			fmt.Fprintf(table, "%d ns\t", p.PerEvent().Nanoseconds())
		}
		grows := c.Grows()
		if grows == "" {
			grows = "nothing"
		}
		fmt.Fprintf(table, "%.2f\t%+.1f MB\t%s\t\n", c.Exponent(), float64(c.Memory())/(1<<20), grows)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}
