package cases

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// packer writes cases as JSON that an [unpacker] reads back: a struct as the list of its fields, a pointer and a
// [spec.Value] as a list of one or none, a place as line:column. Most events and expectations stand several times in a
// file. They stand in one table, and in the cases a number stands for each.
type packer struct {
	counts  map[string]int // of the parts that may be shared, as JSON
	counted bool
	numbers map[string]int // of the shared parts
	shared  []spec.Value
}

// packed returns the cases of a file, a line each, and the table of what they share.
func packed(cases []Case) (shared, lines []byte) {
	p := packer{counts: map[string]int{}, numbers: map[string]int{}}
	for _, c := range cases {
		p.pack(reflect.ValueOf(c))
	}
	p.counted = true
	for _, c := range cases {
		v := reflect.ValueOf(c)
		lines = p.packFields(v, 0, firstOfBody()).AppendJSON(lines)
		lines = append(lines, bodyMark...)
		lines = append(p.packFields(v, firstOfBody(), v.NumField()).AppendJSON(lines), '\n')
	}
	return spec.ArrayValue(p.shared...).AppendJSON(nil), lines
}

// shortest is the length in bytes of the shortest part that is shared.
const shortest = 8

// share returns the number of a part that the file has several times, and else the part.
func (p *packer) share(part spec.Value) spec.Value {
	text := part.String()
	if !p.counted {
		p.counts[text]++
	}
	if !p.counted || p.counts[text] == 1 || len(text) < shortest {
		return part
	}
	n, known := p.numbers[text]
	if !known {
		n = len(p.shared)
		p.numbers[text], p.shared = n, append(p.shared, part)
	}
	return spec.IntValue(n)
}

func (p *packer) pack(v reflect.Value) spec.Value {
	switch of := v.Interface().(type) {
	case strictyaml.Place:
		return spec.StringValue(fmt.Sprintf("%d:%d", of.Line, of.Column))
	case spec.Value:
		if of.IsAbsent() {
			return spec.ArrayValue()
		}
		return p.share(spec.ArrayValue(of))
	case []MemberWant:
		whole := packer{counts: map[string]int{}} // in which nothing is shared
		return p.share(whole.packEach(v))
	}
	switch v.Kind() {
	case reflect.String:
		return spec.StringValue(v.String())
	case reflect.Bool:
		return spec.BoolValue(v.Bool())
	case reflect.Int:
		return spec.IntValue(int(v.Int()))
	case reflect.Pointer:
		if v.IsNil() {
			return spec.ArrayValue()
		}
		return spec.ArrayValue(p.pack(v.Elem()))
	case reflect.Slice:
		return p.packEach(v)
	case reflect.Struct:
		return p.packFields(v, 0, v.NumField())
	default:
		panic(fmt.Sprintf("a case has a %s, which has no compiled form", v.Type()))
	}
}

func (p *packer) packEach(list reflect.Value) spec.Value {
	var items []spec.Value
	for _, item := range list.Seq2() {
		items = append(items, p.pack(item))
	}
	return spec.ArrayValue(items...)
}

// packFields packs a struct's fields from one up to another, without those at the end that are zero.
func (p *packer) packFields(v reflect.Value, from, to int) spec.Value {
	for to > from && v.Field(to-1).IsZero() {
		to--
	}
	var items []spec.Value
	for i := from; i < to; i++ {
		items = append(items, p.pack(v.Field(i)))
	}
	return spec.ArrayValue(items...)
}

// unpacker reads what a [packer] wrote of the cases of a file.
type unpacker struct {
	section
	shared []spec.Value
	lists  map[int]reflect.Value // that were read, by their numbers
}

// readShared reads the table once. It reports whether it could.
func (u *unpacker) readShared() bool {
	if u.lists != nil {
		return true
	}
	u.lists = map[int]reflect.Value{}
	table, err := spec.ParseValue(u.Shared)
	u.shared = table.Items()
	return err == nil
}

// items returns the items of a list, or of the list that a number stands for, and whether it is one.
func (u *unpacker) items(v spec.Value) ([]spec.Value, bool) {
	if n, isNumber := v.Int(); isNumber && n >= 0 && n < len(u.shared) {
		v = u.shared[n]
	}
	return v.Items(), v.Kind() == spec.Array
}

// unpack reads a value of this type. It reports whether it could.
func (u *unpacker) unpack(v spec.Value, into reflect.Value) bool {
	switch to := into.Addr().Interface().(type) {
	case *strictyaml.Place:
		return unpackPlace(v, to, u.File)
	case *spec.Value:
		items, ok := u.items(v)
		if len(items) == 1 {
			*to = items[0]
		}
		return ok && len(items) <= 1
	}
	switch into.Kind() {
	case reflect.String:
		text, ok := v.Str()
		into.SetString(text)
		return ok
	case reflect.Bool:
		into.SetBool(v.IsTrue())
		return v.Kind() == spec.Bool
	case reflect.Int:
		number, ok := v.Int()
		into.SetInt(int64(number))
		return ok
	case reflect.Pointer:
		if items := v.Items(); len(items) != 1 {
			return len(items) == 0
		}
		into.Set(reflect.New(into.Type().Elem()))
		return u.unpack(v.Items()[0], into.Elem())
	case reflect.Slice:
		return u.unpackList(v, into)
	default:
		return len(v.Items()) <= into.NumField() && u.unpackEach(v.Items(), into.Field)
	}
}

// unpackList reads a list. Cases that share one have the same.
func (u *unpacker) unpackList(v spec.Value, into reflect.Value) bool {
	n, isShared := v.Int()
	if list, known := u.lists[n]; isShared && known {
		into.Set(list)
		return true
	}
	items, ok := u.items(v)
	if len(items) > 0 {
		into.Set(reflect.MakeSlice(into.Type(), len(items), len(items)))
	}
	if isShared {
		u.lists[n] = into
	}
	return ok && u.unpackEach(items, into.Index)
}

func (u *unpacker) unpackEach(items []spec.Value, into func(int) reflect.Value) bool {
	for i, item := range items {
		if !u.unpack(item, into(i)) {
			return false
		}
	}
	return true
}

func unpackPlace(v spec.Value, into *strictyaml.Place, file string) bool {
	text, _ := v.Str()
	line, column, _ := strings.Cut(text, ":")
	var err1, err2 error
	into.File = file
	into.Line, err1 = strconv.Atoi(line)
	into.Column, err2 = strconv.Atoi(column)
	return err1 == nil && err2 == nil
}
