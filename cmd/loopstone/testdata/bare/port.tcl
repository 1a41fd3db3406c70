# adapter.txt in Tcl, line by line. Tcl has no JSON of its own: a value is a list of its type and its content.

fconfigure stdin -translation binary
fconfigure stdout -encoding utf-8 -translation lf

set file [open adapter.txt]
fconfigure $file -encoding utf-8
set text [read $file]
close $file
regexp -lineanchor {^ABOUT = (.*?)\nNEEDS} $text - ABOUT
set ABOUT [regsub -all {\s*\n\s*} $ABOUT " "]
set NEEDS {
    initialize {} session/open {session string detector string reading string} session/observe {session string events array}
    session/reset {session string} session/close {session string} function/call {function string} shutdown {}
}
regexp {\nEVENTS = [^\n]*\n(.*?)\nsessions} $text - table
foreach line [split $table \n] {
    regexp {^ +(\w+) +(.*)} $line - type members
    foreach {- name optional kind} [regexp -all -inline {(\w+)(\??): (\w+|"user", "assistant" or "system")} $members] {
        dict set EVENTS $type $name [list $optional $kind]
    }
}
set sessions {}

# read_value reads the value at the place i of a text, and leaves i behind it.
proc read_value {text iName} {
    upvar 1 $iName i
    skip $text i
    switch -exact -- [string index $text $i] {
        "\{" { return [list object [read_list $text i "\}" 1]] }
        "\[" { return [list array [read_list $text i "\]" 0]] }
        "\"" { return [list string [read_string $text i]] }
    }
    foreach {word type} {true boolean false boolean null null} {
        if {[string range $text $i $i+[expr {[string length $word] - 1}]] eq $word} {
            incr i [string length $word]
            return [list $type $word]
        }
    }
    if {![regexp -start $i {\A-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?} $text number]} { error "no JSON" }
    incr i [string length $number]
    return [list number $number]
}

proc skip {text iName} {
    upvar 1 $iName i
    while {[string first [string index $text $i] " \t\r\n"] >= 0 && $i < [string length $text]} { incr i }
}

# read_list reads the items, or the names and values, up to the closing bracket.
proc read_list {text iName close named} {
    upvar 1 $iName i
    set items {}
    incr i
    skip $text i
    if {[string index $text $i] eq $close} { incr i; return $items }
    while 1 {
        if {$named} {
            skip $text i
            if {[string index $text $i] ne "\""} { error "no JSON" }
            set name [read_string $text i]
            skip $text i
            if {[string index $text $i] ne ":"} { error "no JSON" }
            incr i
            dict set items $name [read_value $text i]
        } else {
            lappend items [read_value $text i]
        }
        skip $text i
        set c [string index $text $i]
        incr i
        if {$c eq $close} { return $items }
        if {$c ne ","} { error "no JSON" }
    }
}

proc read_string {text iName} {
    upvar 1 $iName i
    if {![regexp -start $i -indices {\A"(?:[^"\\]|\\.)*"} $text place]} { error "no JSON" }
    set raw [string range $text [expr {$i + 1}] [expr {[lindex $place 1] - 1}]]
    set i [expr {[lindex $place 1] + 1}]
    set n 0
    set made ""
    foreach place [regexp -all -inline -indices {\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)} $raw] {
        lassign $place from to
        append made [string range $raw $n $from-1] [unescaped [string range $raw $from $to]]
        set n [expr {$to + 1}]
    }
    return $made[string range $raw $n end]
}

proc unescaped {escape} {
    switch -glob -- $escape {
        {\\n} { return \n } {\\t} { return \t } {\\r} { return \r } {\\b} { return \b } {\\f} { return \f }
        {\\u????\\u????} { return [pair 0x[string range $escape 2 5] 0x[string range $escape 8 11]] }
        {\\u????} { return [format %c 0x[string range $escape 2 5]] }
        default { return [string index $escape 1] }
    }
}

# pair returns the character of a surrogate pair.
proc pair {high low} {
    set c [expr {0x10000 + (($high & 0x3ff) << 10) + ($low & 0x3ff)}]
    set bytes [binary format c4 [list [expr {0xf0 | $c >> 18}] [expr {0x80 | $c >> 12 & 0x3f}] \
        [expr {0x80 | $c >> 6 & 0x3f}] [expr {0x80 | $c & 0x3f}]]]
    return [encoding convertfrom utf-8 $bytes]
}

proc quoted {text} {
    set escapes {\\ \\\\ \" \\\"}
    for {set c 0} {$c < 32} {incr c} { lappend escapes [format %c $c] [format {\u%04x} $c] }
    return \"[string map $escapes $text]\"
}
proc written {value} { lassign $value type content; return [expr {$type eq "string" ? [quoted $content] : $content}] }
proc typeOf {object name} { return [expr {[dict exists $object $name] ? [lindex [dict get $object $name] 0] : "absent"}] }
proc member {object name} { return [lindex [dict get $object $name] 1] }

proc result {json} { return [list result $json] }
proc fault {code {data "{}"}} { return [list error "{\"code\":$code,\"message\":\"refused\",\"data\":$data}"] }
proc refusal {kind args} {
    set data "{\"kind\":\"$kind\""
    foreach {name value} $args { append data ",\"$name\":[quoted $value]" }
    return [fault -32602 "$data}"]
}

proc answer {id result} {
    puts "{\"jsonrpc\":\"2.0\",\"id\":$id,\"[lindex $result 0]\":[lindex $result 1]}"
    flush stdout
}

proc carry_out {method params} {
    global NEEDS ABOUT sessions
    if {![dict exists $NEEDS $method]} { return [fault -32601] }
    if {[lindex $params 0] ne "object"} { return [refusal invalid_params] }
    set params [lindex $params 1]
    set needs [dict get $NEEDS $method]
    dict for {name type} $needs {
        if {[typeOf $params $name] ne $type} { return [refusal invalid_params] }
    }
    if {[dict exists $needs session]} { set name [member $params session] }
    if {$method eq "session/open"} {
        if {[dict exists $sessions $name] || [typeOf $params config] ni {absent object}} { return [refusal invalid_params] }
        if {[member $params detector] ne "history"} { return [refusal unsupported feature [member $params detector]] }
        if {[member $params reading] ne "code"} { return [refusal unsupported feature [member $params reading]] }
        if {[dict exists $params config]} {
            foreach field [dict keys [member $params config]] { return [refusal invalid_config field $field] }
        }
        dict set sessions $name {}
    } elseif {[dict exists $needs session] && ![dict exists $sessions $name]} {
        return [refusal unknown_session]
    }
    switch $method {
        session/observe {
            set verdicts {}
            foreach event [member $params events] {
                set field [wrong $event]
                if {$field ne ""} { return [refusal invalid_event field $field] }
                lappend verdicts {{"loop":false}}
            }
            return [result "{\"verdicts\":\[[join $verdicts ,]\]}"]
        }
        session/reset { dict set sessions $name {} }
        session/close { dict unset sessions $name }
        function/call { return [refusal unknown_function] }
        initialize { return [result $ABOUT] }
    }
    return [result "{}"]
}

proc wrong {event} {
    global EVENTS
    lassign $event kind event
    if {$kind ne "object" || [typeOf $event type] ne "string" || ![dict exists $EVENTS [member $event type]]} { return type }
    dict for {name is} [dict get $EVENTS [member $event type]] {
        lassign $is optional type
        set has [typeOf $event $name]
        if {$has eq "absent" && $optional ne ""} { continue }
        if {[string match {"*} $type]} {
            if {$has ne "string" || [member $event $name] ni {user assistant system}} { return $name }
        } elseif {$has ne $type} {
            return $name
        }
    }
}

while {[gets stdin bytes] >= 0} {
    set line [encoding convertfrom utf-8 $bytes]
    if {[string trim $line " \t\r"] eq ""} { continue }
    set i 0
    if {[encoding convertto utf-8 $line] ne $bytes || [catch {
        set request [read_value $line i]
        skip $line i
        if {$i < [string length $line]} { error "no JSON" }
    }]} { answer null [fault -32700]; continue }
    lassign $request kind request
    set id null
    if {$kind eq "object" && [typeOf $request id] in {string number}} { set id [written [dict get $request id]] }
    if {$kind ne "object" || [dict exists $request id] && $id eq "null" || [typeOf $request jsonrpc] ne "string"
        || [member $request jsonrpc] ne "2.0" || [typeOf $request method] ne "string"} {
        answer $id [fault -32600]
        continue
    }
    set params {object {}}
    if {[dict exists $request params]} { set params [dict get $request params] }
    set result [carry_out [member $request method] $params]
    if {[dict exists $request id]} { answer $id $result }
    if {[member $request method] eq "shutdown" && [lindex $result 0] ne "error"} { exit 0 }
}
