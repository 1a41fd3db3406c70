# adapter.txt in Perl, line by line.
use strict;
use warnings;
use B;
use JSON::PP;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
$| = 1;

open my $file, "<:raw", "adapter.txt" or die $!;
my $text = do { local $/; <$file> };
my $ABOUT = $json->decode($text =~ /^ABOUT = (.*?)^NEEDS/ms);
my %NEEDS = (
    "initialize" => {}, "session/open" => {session => "string", detector => "string", reading => "string"},
    "session/observe" => {session => "string", events => "array"}, "session/reset" => {session => "string"},
    "session/close" => {session => "string"}, "function/call" => {function => "string"}, "shutdown" => {});
my %EVENTS;
for (split /\n/, ($text =~ /^EVENTS = .*?\n(.*?)^sessions/ms)[0]) {
    my ($type, $members) = /^ +(\w+) +(.*)/;
    $EVENTS{$type}{$1} = [$2, $3] while $members =~ /(\w+)(\??): (\w+|"user", "assistant" or "system")/g;
}
my %sessions;

while (defined(my $line = <STDIN>)) {
    next if $line =~ /\A[ \t\r\n]*\z/;
    my $request;
    if (!eval { $request = $json->decode($line); 1 }) { answer(undef, fault(-32700)); next }
    my $id = type($request) eq "object" && type($request->{id}) =~ /string|number/ ? $request->{id} : undef;
    if (type($request) ne "object" || exists $request->{id} && !defined $id
        || type($request->{jsonrpc}) ne "string" || $request->{jsonrpc} ne "2.0" || type($request->{method}) ne "string") {
        answer($id, fault(-32600));
        next;
    }
    my $result = carry_out($request->{method}, exists $request->{params} ? $request->{params} : {});
    answer($id, $result) if exists $request->{id};
    exit 0 if $request->{method} eq "shutdown" && !exists $result->{error};
}

sub answer {
    my ($id, $result) = @_;
    print $json->encode({jsonrpc => "2.0", id => $id, %$result}), "\n";
}

sub result { return {result => $_[0]} }
sub fault { my ($code, $data) = @_; return {error => {code => $code, message => "refused", data => $data // {}}} }
sub refusal { my ($kind, @more) = @_; return fault(-32602, {kind => $kind, @more}) }

sub type {
    my $v = shift;
    return "null" unless defined $v;
    return "boolean" if JSON::PP::is_bool($v);
    return ref $v eq "HASH" ? "object" : "array" if ref $v;
    my $flags = B::svref_2object(\$v)->FLAGS;
    return $flags & (B::SVp_IOK | B::SVp_NOK) && !($flags & B::SVp_POK) ? "number" : "string";
}

sub carry_out {
    my ($method, $params) = @_;
    my $needs = $NEEDS{$method} or return fault(-32601);
    return refusal("invalid_params") if type($params) ne "object" || grep { type($params->{$_}) ne $needs->{$_} } keys %$needs;
    my $name = $params->{session};
    if ($method eq "session/open") {
        return refusal("invalid_params")
            if exists $sessions{$name} || exists $params->{config} && type($params->{config}) ne "object";
        return refusal("unsupported", feature => $params->{detector}) if $params->{detector} ne "history";
        return refusal("unsupported", feature => $params->{reading}) if $params->{reading} ne "code";
        return refusal("invalid_config", field => $_) for keys %{$params->{config} // {}};
        $sessions{$name} = {};
    } elsif (exists $needs->{session} && !exists $sessions{$name}) {
        return refusal("unknown_session");
    }
    if ($method eq "session/observe") {
        for my $event (@{$params->{events}}) {
            my $field = wrong($event);
            return refusal("invalid_event", field => $field) if defined $field;
        }
        return result({verdicts => [map { {loop => JSON::PP::false} } @{$params->{events}}]});
    }
    $sessions{$name} = {} if $method eq "session/reset";
    delete $sessions{$name} if $method eq "session/close";
    return refusal("unknown_function") if $method eq "function/call";
    return result($method eq "initialize" ? $ABOUT : {});
}

sub wrong {
    my $event = shift;
    return "type" if type($event) ne "object" || type($event->{type}) ne "string" || !$EVENTS{$event->{type}};
    my $members = $EVENTS{$event->{type}};
    for my $name (sort keys %$members) {
        my ($optional, $type) = @{$members->{$name}};
        next if $optional && !exists $event->{$name};
        my $v = $event->{$name};
        return $name if $type =~ /"/ ? type($v) ne "string" || $v !~ /\A(user|assistant|system)\z/ : type($v) ne $type;
    }
    return undef;
}
