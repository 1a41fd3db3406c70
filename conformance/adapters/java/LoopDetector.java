// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Loopstone Authors
/*
 * The detector `composed` in one file, to be taken into an agent. It needs Java 17 and Gson 2.10 or later.
 *
 *     JsonArray rules = JsonParser.parseString("[{\"same\":{\"results\":\"text\"},\"pattern\":{\"sort\":\"streak\"}}]")
 *         .getAsJsonArray();
 *     LoopDetector detector = new LoopDetector(rules);
 *     detector.observe(new LoopDetector.Call("read_file", args, "1", ""));
 *     detector.observe(new LoopDetector.Answer("1", true, "x = 1"))
 *         .ifPresent(loop -> System.err.println(loop.rule() + " " + loop.rung() + " " + loop.evidence()));
 *
 * The rules are those of a profile; null stands for one that counts three equal calls in a row. What is wrong in them
 * is a Fault, whose message begins with the place. Tell the detector all that happens, in its order: the calls, with
 * their ids where the agent has them; what came of each; what user and assistant say; for rules about pieces, each
 * piece of an answer; and, for rules about steps, that a reply of the model begins, before its calls. Rules with
 * `seconds` need the times: observe(event, at). `evidence` holds the numbers of the events that were counted, the first
 * of all being 0. What else has a number in your log is an Other.
 *
 * An event costs the same however many there were, but `seconds` looks through its window. Kept is what the patterns
 * look back at, and 100 calls that wait. snapshot() and restore(state) let another process go on. A detector belongs to
 * one thread at a time. spec/clauses/composed.md has the clauses, which the comments name.
 */
import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

public final class LoopDetector {
  private static final int WAITING = 100; // CO-2
  private static final int CALLS_OF_A_STEP = 100; // CO-17
  private static final int NAMED = 100; // CO-38
  private static final int LONGEST_PERIOD = 100; // CO-6
  private static final long MOST_SECONDS = 1_000_000; // CO-6
  private static final int REVISITED = 50; // CO-44

  /** What happened. When it did, `at` in milliseconds, may be told beside it: observe(event, at). */
  public sealed interface Event permits Call, Answer, Message, Piece, Reply, Other {}

  /** A call of a tool; `id` may be null, `thought` may be empty. */
  public record Call(String tool, JsonObject args, String id, String thought) implements Event {}

  /** What came of a call, whose id may be null; of an error, `ok` is false and `text` its message. */
  public record Answer(String call, boolean ok, String text) implements Event {}

  public record Message(String role, String content) implements Event {}

  /** A piece of the answer that the model is writing. */
  public record Piece(String text) implements Event {}

  public record Reply() implements Event {}

  public record Other() implements Event {}

  /** What the first rule that speaks says (CO-37); `period` is null but for cycle and periodic. */
  public record Verdict(
      String kind, long count, String severity, String rule, String rung, Integer period, List<Long> evidence) {}

  /** What is wrong in the rules; the message begins with the place, such as rules/0/pattern/to (CO-40). */
  public static final class Fault extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    Fault(String place, String problem) {
      super(place + ": " + problem);
    }
  }

  private final List<Judge> judges = new ArrayList<>();
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private long events;
  private long calls;

  /** Takes an array of rules, as CO-3 to CO-6 have them; null stands for one of defaults. */
  public LoopDetector(JsonElement rules) {
    for (Rule rule : Rule.all(rules)) judges.add(new Judge(judges.size(), rule));
  }

  /** CO-39 */
  public void reset() {
    judges.forEach(Judge::startAfresh);
    waiting.clear();
  }

  /** One event in, and the loop that is seen after it, if any. */
  public Optional<Verdict> observe(Event event) {
    return takeIn(event, null);
  }

  /** The same of an event whose time is known, in milliseconds. */
  public Optional<Verdict> observe(Event event, double at) {
    return takeIn(event, at);
  }

  /** Every rule takes it in (CO-8). */
  private Optional<Verdict> takeIn(Event event, Double at) {
    long index = events++;
    for (Judge judge : judges) judge.setTime(at);
    if (event instanceof Call call) return onCall(call, index);
    if (event instanceof Answer answer) return onAnswer(answer);
    if (event instanceof Message message) return first(judge -> judge.onMessage(message, index));
    if (event instanceof Piece piece) return first(judge -> judge.onPiece(piece, index));
    if (event instanceof Reply) return first(Judge::onReply);
    return Optional.empty(); // CO-1
  }

  private Optional<Verdict> first(Function<Judge, Verdict> judging) {
    Verdict first = null;
    for (Judge judge : judges) {
      Verdict verdict = judging.apply(judge);
      if (first == null) first = verdict;
    }
    return Optional.ofNullable(first);
  }

  private Optional<Verdict> onCall(Call call, long index) {
    List<Role> roles = new ArrayList<>(judges.size());
    for (Judge judge : judges) roles.add(judge.rule.roleOf(call));
    Waiting made = new Waiting(call.id, index, calls++, roles);
    waiting.addLast(made);
    if (waiting.size() > WAITING) waiting.removeFirst(); // CO-2
    return first(judge -> judge.onCall(made));
  }

  private Optional<Verdict> onAnswer(Answer answer) {
    for (Iterator<Waiting> oldest = waiting.iterator(); oldest.hasNext(); ) {
      Waiting call = oldest.next();
      if (answer.call != null && !answer.call.equals(call.id)) continue;
      oldest.remove(); // CO-2
      return first(judge -> judge.onAnswer(call, answer));
    }
    return Optional.empty();
  }

  /** CO-41 */
  public JsonObject snapshot() {
    JsonArray made = new JsonArray();
    waiting.forEach(call -> made.add(call.state()));
    JsonArray rules = new JsonArray();
    judges.forEach(judge -> rules.add(judge.state()));
    JsonObject state = new JsonObject();
    state.add("waiting", made);
    state.addProperty("calls", calls);
    state.add("rules", rules);
    return state;
  }

  /** Goes on from a snapshot of a detector of the same rules; false, and nothing changes, where it is none (CO-42). */
  public boolean restore(JsonElement state) {
    List<Judge> restored = new ArrayList<>();
    List<Waiting> made = new ArrayList<>();
    long next;
    try {
      State members = new State(state);
      members.size(3);
      next = members.at("calls").number(0);
      List<State> rules = members.at("rules").items(judges.size());
      State.check(rules.size() == judges.size());
      for (Judge judge : judges) restored.add(new Judge(judge, rules.get(judge.place)));
      for (State call : members.at("waiting").items(WAITING)) {
        made.add(Waiting.of(call, judges.size()));
        long number = made.get(made.size() - 1).number;
        State.check(number < next && (made.size() == 1 || made.get(made.size() - 2).number < number));
      }
    } catch (State.Impossible impossible) {
      return false;
    }
    judges.clear();
    judges.addAll(restored);
    waiting.clear();
    waiting.addAll(made);
    calls = next;
    return true;
  }

  // The configuration. The first word of each is the default.

  private enum By {
    CALL,
    TOOL,
    STEP,
    SPEECH,
    MESSAGE,
    PIECE
  }

  private enum Results {
    NONE,
    TEXT,
    ANY
  }

  private enum Outcome {
    ANY,
    OK,
    FAILED
  }

  private enum KeyOrder {
    ANY,
    KEPT
  }

  private enum Order {
    KEPT,
    ANY
  }

  private enum Sort {
    RUN,
    AMONG,
    CYCLE,
    PERIODIC,
    STREAK,
    REVISIT
  }

  private enum Counts {
    CURRENT,
    HIGHEST
  }

  private enum Fresh {
    USER,
    REPLY,
    MESSAGE,
    CALL,
    CHANGE
  }

  private enum Judged {
    AFTER,
    BEFORE
  }

  private enum Severity {
    CRITICAL,
    WARNING,
    NOTICE
  }

  private enum Speaks {
    EACH,
    ONCE,
    RESTART,
    STAYS
  }

  private static String word(Enum<?> word) {
    return word.name().toLowerCase(Locale.ROOT);
  }

  /** An object of the configuration, and its place; empty where it is not written. */
  private static final class Members {
    private static final Pattern POSITIVE = Pattern.compile("[1-9][0-9]*");

    final String place;
    final JsonObject written;

    /** CO-4: what is written is an object of members with these names. */
    Members(String place, JsonElement value, String... known) {
      this.place = place;
      if (value != null && !(value instanceof JsonObject)) throw new Fault(place, "want an object");
      written = value == null ? new JsonObject() : value.getAsJsonObject();
      for (String name : written.keySet()) {
        if (List.of(known).contains(name)) continue;
        throw fault(name, "unknown; known are " + String.join(", ", known));
      }
    }

    Fault fault(String name, String problem) {
      return new Fault(place + "/" + name, problem);
    }

    Members part(String name, String... known) {
      return new Members(place + "/" + name, written.get(name), known);
    }

    /** What the value of a member means; the parser gives null where it is not legal. */
    private <T> T parsed(String name, T normal, String want, Function<JsonElement, T> parser) {
      if (!written.has(name)) return normal;
      T value = parser.apply(written.get(name));
      if (value == null) throw fault(name, "want " + want);
      return value;
    }

    <E extends Enum<E>> E word(String name, Class<E> words) {
      String want = "one of " + List.of(words.getEnumConstants()).toString().toLowerCase(Locale.ROOT);
      return parsed(name, words.getEnumConstants()[0], want, value -> meaning(words, value));
    }

    boolean flag(String name) {
      return parsed(name, false, "true or false", value -> isFlag(value) ? value.getAsBoolean() : null);
    }

    /** One that is too large for a count is the largest. */
    long number(String name, long normal) {
      return parsed(name, normal, "an integer of at least 1", Members::positive);
    }

    static Long positive(JsonElement value) {
      if (!isNumber(value) || !POSITIVE.matcher(value.getAsString()).matches()) return null;
      return value.getAsString().length() > 18 ? Long.MAX_VALUE : Long.parseLong(value.getAsString());
    }

    <T> List<T> list(String name, String want, Function<JsonElement, T> parser) {
      return parsed(name, List.of(), "an array of " + want, value -> all(value, parser));
    }

    private static <T> List<T> all(JsonElement value, Function<JsonElement, T> parser) {
      if (!(value instanceof JsonArray array)) return null;
      List<T> items = new ArrayList<>();
      for (JsonElement item : array) items.add(parser.apply(item));
      return items.contains(null) ? null : items;
    }

    static <E extends Enum<E>> E meaning(Class<E> words, JsonElement value) {
      for (E word : words.getEnumConstants()) {
        if (isText(value) && LoopDetector.word(word).equals(value.getAsString())) return word;
      }
      return null;
    }

    static String filled(JsonElement value) {
      return isText(value) && !value.getAsString().isEmpty() ? value.getAsString() : null;
    }

    Set<String> texts(String name) {
      return new HashSet<>(list(name, "texts that are not empty", Members::filled));
    }

    List<Name> names(String name) {
      return list(name, "tools such as bash, file_* or bash?command=ls", Name::of);
    }

    String name(int number) {
      return parsed("name", String.valueOf(number + 1), "a text that is not empty", Members::filled);
    }

    /** CO-6: what has no meaning where it stands is not written. */
    void goWith(boolean meant, String with, String... names) {
      for (String name : names) refuse(name, !meant && written.has(name), "goes only with " + with);
    }

    /** CO-6: what is written goes together. */
    void refuse(String name, boolean wrong, String problem) {
      if (wrong) throw fault(name, problem);
    }
  }

  private static boolean isText(JsonElement value) {
    return value instanceof JsonPrimitive p && p.isString();
  }

  private static boolean isNumber(JsonElement value) {
    return value instanceof JsonPrimitive p && p.isNumber();
  }

  private static boolean isFlag(JsonElement value) {
    return value instanceof JsonPrimitive p && p.isBoolean();
  }

  /** A set of calls (CO-19): those of the tools that are like this and, unless it is null, with the argument. */
  private record Name(String tool, String argument, String text) {
    /** CO-20 */
    static Name of(JsonElement value) {
      if (!isText(value)) return null;
      String[] parts = value.getAsString().split("\\?", 2);
      int end = parts.length == 1 ? -1 : parts[1].indexOf('=');
      if (parts[0].isEmpty() || parts.length == 2 && end < 1) return null;
      if (parts.length == 1) return new Name(parts[0], null, null);
      return new Name(parts[0], parts[1].substring(0, end), parts[1].substring(end + 1));
    }

    static boolean anyHas(List<Name> names, Call call) {
      return names.stream().anyMatch(name -> name.has(call));
    }

    private boolean has(Call call) {
      if (!isLike(call.tool)) return false;
      JsonElement given = argument == null ? null : call.args.get(argument);
      return argument == null || isText(given) && given.getAsString().equals(text);
    }

    private boolean isLike(String given) {
      int first = tool.indexOf('*');
      if (first < 0) return tool.equals(given);
      String end = tool.substring(tool.lastIndexOf('*') + 1);
      if (!given.startsWith(tool.substring(0, first)) || !given.endsWith(end)) return false;
      int at = first;
      for (String part : tool.substring(first, tool.length() - end.length()).split("\\*")) {
        int found = given.indexOf(part, at);
        if (found < 0) return false;
        at = found + part.length();
      }
      return at <= given.length() - end.length();
    }
  }

  private record Rule(
      String name,
      Same same,
      Shape shape,
      Tools tools,
      Set<Fresh> fresh,
      List<Name> changes,
      boolean before,
      List<Rung> rungs) {
    /** CO-3, CO-5 */
    static List<Rule> all(JsonElement given) {
      if (given != null && !(given instanceof JsonArray)) throw new Fault("rules", "want an array");
      JsonArray list = given == null ? new JsonArray() : given.getAsJsonArray();
      if (given == null) list.add(new JsonObject());
      if (list.isEmpty()) throw new Fault("rules", "want a rule");
      List<Rule> rules = new ArrayList<>();
      for (JsonElement value : list) {
        int i = rules.size();
        String[] known = {"name", "same", "pattern", "tools", "fresh", "changes", "judged", "rungs"};
        Members members = new Members("rules/" + i, value, known);
        Rule rule = Rule.of(members, i);
        members.refuse("name", rules.stream().anyMatch(other -> other.name.equals(rule.name)), "another rule has it");
        rules.add(rule);
      }
      return rules;
    }

    private static Rule of(Members members, int i) {
      Same same = Same.of(members);
      Shape shape = Shape.of(members, same);
      Tools tools = Tools.of(members, same);
      List<Fresh> fresh =
          members.list("fresh", "user, reply, message, call and change", each -> Members.meaning(Fresh.class, each));
      members.refuse("fresh", fresh.stream().anyMatch(same::isMadeOf), "the items themselves would start afresh");
      List<Name> changes = members.names("changes");
      boolean change = fresh.contains(Fresh.CHANGE);
      members.refuse("changes", change && changes.isEmpty(), "fresh: [change] needs calls that are changes");
      members.goWith(change, "fresh: [change]", "changes");
      boolean before = members.word("judged", Judged.class) == Judged.BEFORE;
      boolean late = shape.sort == Sort.REVISIT || same.isAnswered() && shape.sort == Sort.AMONG;
      boolean wrong = before && (late || shape.highest || !same.isSingle());
      members.refuse("judged", wrong, "such items cannot be judged before");
      List<Rung> rungs = Rung.all(members);
      return new Rule(members.name(i), same, shape, tools, Set.copyOf(fresh), changes, before, rungs);
    }

    Role roleOf(Call call) {
      boolean seen = !same.isSpoken() && tools.see(call);
      return new Role(seen ? same.keyOf(call) : "", seen, tools.silence(call), Name.anyHas(changes, call));
    }
  }

  /** What makes items equal. */
  private record Same(
      By by,
      Results results,
      long prefix,
      Outcome outcome,
      boolean kept,
      boolean anyOrder,
      Set<String> keep,
      Set<String> omit,
      boolean thought) {
    static Same of(Members rule) {
      String[] known = {"by", "results", "prefix", "outcome", "key_order", "order", "keep", "omit", "thought"};
      Members members = rule.part("same", known);
      Same same =
          new Same(
              members.word("by", By.class),
              members.word("results", Results.class),
              members.number("prefix", Long.MAX_VALUE),
              members.word("outcome", Outcome.class),
              members.word("key_order", KeyOrder.class) == KeyOrder.KEPT,
              members.word("order", Order.class) == Order.ANY,
              members.texts("keep"),
              members.texts("omit"),
              members.flag("thought"));
      boolean hasArgs = same.by == By.CALL || same.by == By.STEP;
      members.goWith(hasArgs, "calls and steps", "key_order", "keep", "omit", "thought");
      members.refuse("omit", !same.omit.isEmpty() && !same.keep.isEmpty(), "keep omits all others");
      members.refuse("results", same.results == Results.ANY && !same.isSingle(), "only a single call awaits any");
      members.goWith(!same.isSpoken(), "calls and steps", "results");
      members.goWith(same.isSingle(), "single calls", "outcome");
      members.goWith(same.results == Results.TEXT, "results: text", "prefix");
      members.goWith(same.by == By.STEP, "steps", "order");
      return same;
    }

    boolean isSingle() {
      return by == By.CALL || by == By.TOOL;
    }

    boolean isSpoken() {
      return by == By.SPEECH || by == By.MESSAGE || by == By.PIECE;
    }

    boolean isAnswered() {
      return results != Results.NONE || outcome != Outcome.ANY;
    }

    /** Whether such an event is an item, or part of one. */
    boolean isMadeOf(Fresh event) {
      if (event == Fresh.MESSAGE) return by == By.SPEECH || by == By.MESSAGE;
      return event == Fresh.REPLY ? by == By.STEP : event == Fresh.CALL && !isSpoken();
    }

    /** CO-15 */
    boolean isBlank(boolean ok) {
      return outcome == (ok ? Outcome.FAILED : Outcome.OK);
    }

    /** Equal for equal calls, and for no others. */
    String keyOf(Call call) {
      Key key = new Key(kept).text(call.tool); // CO-12
      if (by != By.TOOL) key.members(call.args, compared(call.args)); // CO-9
      return (thought ? key.text(call.thought) : key).toString(); // CO-11
    }

    /** The names of the arguments that are compared (CO-10, CO-45). */
    private List<String> compared(JsonObject args) {
      List<String> kept = new ArrayList<>(args.keySet());
      kept.retainAll(keep);
      if (kept.isEmpty()) kept.addAll(args.keySet());
      kept.removeAll(omit);
      return kept;
    }

    /** Equal for equal answers, and for no others. */
    String keyOf(Answer answer) {
      if (results != Results.TEXT) return "";
      String text = answer.text;
      if (text.codePointCount(0, text.length()) > prefix) {
        text = text.substring(0, text.offsetByCodePoints(0, (int) prefix)); // CO-14
      }
      return (answer.ok ? "+" : "-") + text; // CO-13
    }
  }

  /** A text that is equal for equal JSON, and for no other. */
  private static final class Key {
    private final boolean kept;
    private final StringBuilder key = new StringBuilder();

    Key(boolean kept) {
      this.kept = kept;
    }

    @Override
    public String toString() {
      return key.toString();
    }

    Key text(String text) {
      key.append('"').append(text.length()).append(':').append(text);
      return this;
    }

    Key value(JsonElement value) {
      if (value instanceof JsonObject object) return members(object, new ArrayList<>(object.keySet()));
      if (isText(value)) return text(value.getAsString());
      if (isNumber(value)) key.append(number(value)).append(',');
      else if (!(value instanceof JsonArray array)) key.append(value.toString().charAt(0)); // null, true or false
      else {
        key.append('[');
        array.forEach(this::value);
        key.append(']');
      }
      return this;
    }

    /** The members of these names, which are put in order here. */
    Key members(JsonObject members, List<String> names) {
      if (kept) names.sort(Comparator.comparing(name -> isIndex(name) ? name : "")); // a stable sort
      else Collections.sort(names);
      key.append('{');
      for (String name : names) text(name).value(members.get(name));
      key.append('}');
      return this;
    }

    /** As a double; -0 is 0. */
    static double number(JsonElement value) {
      return Double.parseDouble(value.getAsString()) + 0.0;
    }

    private static final Pattern INDEX = Pattern.compile("0|[1-9][0-9]{0,9}");

    /** Whether a member of this name has no order (CO-9). */
    private static boolean isIndex(String name) {
      return INDEX.matcher(name).matches() && Long.parseLong(name) <= 4294967294L;
    }
  }

  /** The pattern of a rule. */
  private record Shape(
      Sort sort,
      long last,
      int from,
      int to,
      boolean varied,
      boolean highest,
      boolean full,
      long seconds) { // 0 without a limit
    static Shape of(Members rule, Same same) {
      Members members = rule.part("pattern", "sort", "last", "from", "to", "varied", "counts", "full", "seconds");
      long from = members.number("from", 2);
      long to = members.number("to", 5);
      boolean highest = members.word("counts", Counts.class) == Counts.HIGHEST;
      Sort sort = members.word("sort", Sort.class);
      long last = members.number("last", 20);
      boolean varied = members.flag("varied");
      boolean full = members.flag("full");
      long seconds = members.number("seconds", 0);
      members.goWith(hasWindow(sort), "among, streak and revisit", "last");
      members.goWith(hasPeriods(sort), "cycle and periodic", "from", "to", "varied");
      members.goWith(same.isSingle(), "single calls", "varied");
      members.goWith(sort == Sort.AMONG, "among", "counts", "full", "seconds");
      members.refuse("to", to < from, "less than from");
      members.refuse("to", to > LONGEST_PERIOD, "more than 100");
      members.refuse("seconds", seconds > MOST_SECONDS, "more than 1000000");
      boolean streak = sort != Sort.STREAK || same.isSingle() && same.isAnswered();
      members.refuse("sort", !streak, "a streak is of calls with answers");
      return new Shape(sort, last, (int) from, (int) to, varied, highest, full, seconds);
    }

    static boolean hasWindow(Sort sort) {
      return sort == Sort.AMONG || sort == Sort.STREAK || sort == Sort.REVISIT;
    }

    static boolean hasPeriods(Sort sort) {
      return sort == Sort.CYCLE || sort == Sort.PERIODIC;
    }

    Items items() {
      if (sort == Sort.REVISIT) return new Revisits(last);
      if (seconds > 0) return new Recent(this);
      return hasWindow(sort) ? new Window(this) : new Tail(this);
    }
  }

  private record Tools(List<Name> only, List<Name> except, List<Name> silent, List<Name> watched) {
    static Tools of(Members rule, Same same) {
      Members members = rule.part("tools", "only", "except", "silent", "watched");
      rule.goWith(!same.isSpoken(), "calls and steps", "tools");
      members.goWith(same.isSingle(), "single calls", "silent", "watched");
      return new Tools(
          members.names("only"), members.names("except"), members.names("silent"), members.names("watched"));
    }

    /** CO-21 */
    boolean see(Call call) {
      return (only.isEmpty() || Name.anyHas(only, call)) && !Name.anyHas(except, call);
    }

    /** CO-22 */
    boolean silence(Call call) {
      return Name.anyHas(silent, call) || !watched.isEmpty() && !Name.anyHas(watched, call);
    }
  }

  private record Rung(String name, Severity severity, long at, Speaks speaks) {
    static List<Rung> all(Members rule) {
      JsonElement given = rule.written.get("rungs");
      JsonArray list = new JsonArray();
      if (given == null) list.add(new JsonObject());
      else if (given instanceof JsonArray written) list = written;
      rule.refuse("rungs", list.isEmpty(), "want an array of rungs");
      List<Rung> rungs = new ArrayList<>();
      for (JsonElement value : list) {
        int i = rungs.size();
        Members members = new Members(rule.place + "/rungs/" + i, value, "name", "severity", "at", "speaks");
        Rung rung = of(members, i);
        members.refuse("name", rungs.stream().anyMatch(other -> other.name.equals(rung.name)), "another rung has it");
        members.refuse("at", i > 0 && rungs.get(i - 1).at >= rung.at, "not above that of the rung before");
        rungs.add(rung);
      }
      return rungs;
    }

    private static Rung of(Members members, int i) {
      return new Rung(
          members.name(i),
          members.word("severity", Severity.class),
          members.number("at", 3),
          members.word("speaks", Speaks.class));
    }
  }

  // Items and patterns.

  /** What is equal of equal items: of a step it is in place of that of the call; the answer may be "". */
  private record Pair(String call, String answer) {}

  /** `at` is when it was completed; null where that is not known, or not needed. */
  private record Item(Pair key, boolean blank, boolean silent, long index, Double at) {
    static final long BEFORE = -1; // the index of an item from before a restore

    static Item of(State state) {
      return of(state, null);
    }

    static Item of(State state, Double at) {
      List<State> parts = state.parts(4);
      Pair key = new Pair(parts.get(0).text(), parts.get(1).text());
      return new Item(key, parts.get(2).flag(), parts.get(3).flag(), BEFORE, at);
    }

    boolean isLike(Item other) {
      return other != null && !blank && !other.blank && key.equals(other.key);
    }

    boolean isOfTheCall(Item other) {
      return other != null && key.call.equals(other.key.call);
    }

    JsonArray state() {
      return State.array(key.call, key.answer, blank, silent);
    }
  }

  /** What a pattern has counted. */
  private record Counted(long count, Integer period, boolean silent, Group group) {}

  /** The items that a rule looks back at. */
  private interface Items {
    void push(Item item);

    /** What is counted of an item that was recorded, or of a call before that. */
    Counted count(Item item, boolean before);

    /** Those of the latest of the counted items that have a number (CO-38). */
    Stream<Long> evidence(Counted counted, Item item, boolean before);

    JsonObject state();

    /** Takes the state over into what is empty. */
    void takeOver(State state);
  }

  /** The latest items one after another, for run, cycle and periodic. */
  private static final class Tail implements Items {
    private final boolean cycle; // or periodic
    private final boolean periodic; // items are counted, not laps
    private final boolean varied;
    private final int from;
    private final int to;
    private final Item[] ring;
    private long size; // of all that were pushed
    private final long[] alike; // for each period: how many of the latest items equal the one a period before
    private long equal; // how many of the latest items are equal
    private long calls; // how many are of equal calls

    Tail(Shape shape) {
      cycle = Shape.hasPeriods(shape.sort);
      periodic = shape.sort == Sort.PERIODIC;
      varied = shape.varied;
      from = cycle ? shape.from : 1;
      to = cycle ? shape.to : 1;
      ring = new Item[Math.max(to, NAMED)];
      alike = new long[to + 1];
    }

    /** The item that stands so many before the one that comes next; null where there is none. */
    private Item ago(int n) {
      return n > Math.min(size, ring.length) ? null : ring[(int) ((size - n) % ring.length)];
    }

    @Override
    public void push(Item item) {
      for (int period = from; period <= to; period++) {
        alike[period] = item.isLike(ago(period)) ? alike[period] + 1 : 0;
      }
      equal = item.isLike(ago(1)) ? equal + 1 : 1;
      calls = item.isOfTheCall(ago(1)) ? calls + 1 : 1;
      ring[(int) (size++ % ring.length)] = item;
    }

    /** The latest items, the latest first; a call that is judged before is the latest of a cycle (CO-38). */
    private List<Item> latest(long n, Item item, boolean before) {
      List<Item> latest = new ArrayList<>();
      if (before && cycle && n > 0) latest.add(item);
      for (int i = 1; latest.size() < n && ago(i) != null; i++) latest.add(ago(i));
      return latest;
    }

    @Override
    public Counted count(Item item, boolean before) {
      if (cycle) return countLaps(item, before);
      Item latest = ago(1);
      boolean counts = latest != null && !latest.blank && item.isOfTheCall(latest); // CO-25, CO-30
      return new Counted(counts ? alike[1] + 1 : 0, null, item.silent, null);
    }

    /** CO-31, CO-47 */
    private Counted countLaps(Item item, boolean before) {
      long count = 0;
      int best = 0;
      for (int period = from; period <= to; period++) {
        long found = before ? alikeWith(item, period) : alike[period];
        boolean even = period > 1 && (equal >= period || varied && calls >= period);
        long all = periodic ? found + period : found / period + 1;
        if (found < period || even || all <= count) continue;
        count = all;
        best = period;
      }
      List<Item> lap = latest(best, item, before);
      return new Counted(count, best, lap.stream().allMatch(Item::silent), null); // CO-22
    }

    /** As though a call that is judged before were recorded with the answer that the call had then (CO-30). */
    private long alikeWith(Item item, int period) {
      Item then = ago(period);
      return then != null && !then.blank && item.isOfTheCall(then) ? alike[period] + 1 : 0;
    }

    @Override
    public Stream<Long> evidence(Counted counted, Item item, boolean before) {
      double all = (double) counted.count * (cycle && !periodic ? counted.period : 1); // which cannot overflow
      return latest((long) Math.min(all, NAMED), item, before).stream().map(Item::index);
    }

    @Override
    public JsonObject state() {
      JsonArray items = new JsonArray();
      for (int n = (int) Math.min(size, ring.length); n > 0; n--) items.add(ago(n).state());
      JsonArray counts = new JsonArray();
      for (int period = from; period <= to; period++) counts.add(alike[period]);
      JsonObject state = new JsonObject();
      state.add("items", items);
      state.add("alike", counts);
      return state;
    }

    /** The numbers of a full tail may reach further back than its items. */
    @Override
    public void takeOver(State state) {
      state.size(2);
      state.at("items").items(ring.length).forEach(item -> push(Item.of(item)));
      List<State> counts = state.at("alike").parts(to + 1 - from);
      for (int period = from; period <= to; period++) {
        long given = counts.get(period - from).number(0);
        boolean further = size == ring.length && alike[period] == size - period && given > alike[period];
        State.check(given == alike[period] || further);
        alike[period] = given;
      }
    }
  }

  /** The place of an item that is counted: its number in the window and its index in the session. */
  private record Place(long number, long index) {}

  /** The items of a window that are counted together. */
  private static final class Group {
    final Pair key;
    final Item item; // the first of them
    final Deque<Place> places = new ArrayDeque<>();

    Group(Pair key, Item item) {
      this.key = key;
      this.item = item;
    }

    Rank rank() {
      return new Rank(places.size(), places.isEmpty() ? 0 : places.getLast().number);
    }
  }

  private record Rank(int size, long latest) implements Comparable<Rank> {
    @Override
    public int compareTo(Rank other) {
      return size == other.size ? Long.compare(latest, other.latest) : Integer.compare(size, other.size);
    }
  }

  /** The last items, for among and streak, by what is counted together. */
  private static final class Window implements Items {
    private final Shape shape;
    private final Deque<Item> items = new ArrayDeque<>();
    private long number; // of the first item
    private final Map<Pair, Group> groups = new HashMap<>();
    private final TreeMap<Rank, Group> ranks = new TreeMap<>(); // for `counts: highest`

    Window(Shape shape) {
      this.shape = shape;
    }

    /** What is counted together: equal items, or, of a streak, those of a call. */
    private Pair groupOf(Item item) {
      return shape.sort == Sort.STREAK ? new Pair(item.key.call, "") : item.key;
    }

    @Override
    public void push(Item given) {
      if (items.size() == shape.last) dropFirst();
      Group group = groups.get(groupOf(given));
      Item item = group == null ? given : withTextsOf(given, group);
      if (shape.sort == Sort.STREAK && group != null && !item.isLike(group.item)) {
        groups.remove(group.key); // CO-29
        group = null;
      }
      if (!item.blank) {
        if (group == null) group = new Group(groupOf(item), item);
        groups.put(group.key, group);
        Rank before = group.rank();
        group.places.addLast(new Place(number + items.size(), item.index));
        rank(group, before);
      }
      items.addLast(item);
    }

    /** Equal texts are kept only once. */
    private Item withTextsOf(Item item, Group group) {
      Pair key = item.isLike(group.item) ? group.item.key : new Pair(group.key.call, item.key.answer);
      return new Item(key, item.blank, item.silent, item.index, item.at);
    }

    private void dropFirst() {
      Group group = groups.get(groupOf(items.removeFirst()));
      if (group != null && group.places.getFirst().number == number) {
        Rank before = group.rank();
        group.places.removeFirst();
        if (group.places.isEmpty()) groups.remove(group.key);
        rank(group, before);
      }
      number++;
    }

    private void rank(Group group, Rank before) {
      if (!shape.highest) return;
      ranks.remove(before);
      if (!group.places.isEmpty()) ranks.put(group.rank(), group);
    }

    /** CO-26 to CO-30: before it is recorded, a call has no answer, and its group is found all the same. */
    @Override
    public Counted count(Item item, boolean before) {
      Group group = groups.get(groupOf(item));
      if (shape.highest) group = ranks.isEmpty() ? null : ranks.lastEntry().getValue();
      else if (item.blank) group = null;
      if (shape.full && items.size() < shape.last) group = null;
      if (group == null) return new Counted(0, null, item.silent, null);
      return new Counted(group.places.size(), null, item.silent, group);
    }

    @Override
    public Stream<Long> evidence(Counted counted, Item item, boolean before) {
      List<Long> latest = new ArrayList<>();
      Iterator<Place> places = counted.group.places.descendingIterator();
      while (places.hasNext() && latest.size() < NAMED) latest.add(places.next().index);
      return latest.stream();
    }

    @Override
    public JsonObject state() {
      JsonArray all = new JsonArray();
      items.forEach(item -> all.add(item.state()));
      JsonObject state = new JsonObject();
      state.add("items", all);
      return state;
    }

    @Override
    public void takeOver(State state) {
      state.size(1);
      state.at("items").items(shape.last).forEach(item -> push(Item.of(item)));
    }
  }

  /** The last items, for among with `seconds`: since they grow old, each count looks through them. */
  private static final class Recent implements Items {
    private final Shape shape;
    private final Deque<Item> items = new ArrayDeque<>(); // the latest first

    Recent(Shape shape) {
      this.shape = shape;
    }

    @Override
    public void push(Item item) {
      if (items.size() == shape.last) items.removeLast();
      items.addFirst(item);
    }

    /** The items that are counted, the latest first. */
    private List<Item> counted(Item current) {
      if (shape.full && items.size() < shape.last) return List.of(); // CO-28
      List<Item> recent = items.stream().filter(item -> !isTooOld(item, current)).toList();
      Item counted = shape.highest ? mostFrequent(recent) : current;
      return recent.stream().filter(item -> item.isLike(counted)).toList();
    }

    /** CO-48 */
    private boolean isTooOld(Item item, Item current) {
      return item.at != null && current.at != null && current.at - item.at >= 1000.0 * shape.seconds;
    }

    /** CO-27; null where all are blank. */
    private static Item mostFrequent(List<Item> items) {
      Map<Pair, Integer> sizes = new HashMap<>();
      for (Item item : items) sizes.merge(item.key, item.blank ? 0 : 1, Integer::sum);
      Item most = null;
      for (Item item : items) {
        if (!item.blank && (most == null || sizes.get(item.key) > sizes.get(most.key))) most = item;
      }
      return most;
    }

    @Override
    public Counted count(Item item, boolean before) {
      return new Counted(counted(item).size(), null, item.silent, null);
    }

    @Override
    public Stream<Long> evidence(Counted counted, Item item, boolean before) {
      return counted(item).stream().limit(NAMED).map(Item::index);
    }

    @Override
    public JsonObject state() {
      JsonArray all = new JsonArray();
      JsonArray times = new JsonArray();
      items.descendingIterator().forEachRemaining(item -> {
        all.add(item.state());
        times.add(item.at);
      });
      JsonObject state = new JsonObject();
      state.add("items", all);
      state.add("at", times);
      return state;
    }

    @Override
    public void takeOver(State state) {
      state.size(2);
      List<State> all = state.at("items").items(shape.last);
      List<State> times = state.at("at").parts(all.size());
      for (int i = 0; i < all.size(); i++) push(Item.of(all.get(i), times.get(i).time()));
    }
  }

  /** The latest items, for revisit: those of the window, and those that revisits are compared with (CO-44). */
  private static final class Revisits implements Items {
    /** An item, and whether it is a revisit. */
    private record Entry(Item item, boolean revisit) {}

    private final long last; // the size of the window
    private final List<Entry> entries = new ArrayList<>(); // whose first ones may be dropped already
    private int dropped;
    private long count; // of the revisits in the window

    Revisits(long last) {
      this.last = last;
    }

    private List<Entry> latest(long n) {
      return entries.subList((int) Math.max(dropped, entries.size() - n), entries.size());
    }

    private long kept() {
      return Math.max(last, REVISITED);
    }

    @Override
    public void push(Item item) {
      push(item, latest(REVISITED).stream().anyMatch(before -> item.isLike(before.item)));
    }

    private void push(Item item, boolean revisit) {
      long size = entries.size() - dropped;
      if (size >= last && entries.get((int) (entries.size() - last)).revisit) count--;
      if (revisit) count++;
      entries.add(new Entry(item, revisit));
      if (size == kept()) dropped++;
      if (dropped > kept()) {
        entries.subList(0, dropped).clear();
        dropped = 0;
      }
    }

    @Override
    public Counted count(Item item, boolean before) {
      boolean revisit = latest(1).stream().anyMatch(Entry::revisit);
      return new Counted(revisit ? count : 0, null, item.silent, null);
    }

    @Override
    public Stream<Long> evidence(Counted counted, Item item, boolean before) {
      List<Long> named = new ArrayList<>();
      List<Entry> window = latest(last);
      for (int i = window.size() - 1; i >= 0 && named.size() < NAMED; i--) {
        if (window.get(i).revisit) named.add(window.get(i).item.index);
      }
      return named.stream();
    }

    /** The items that the first ones were compared with may be gone, so the state says which are revisits. */
    @Override
    public JsonObject state() {
      JsonArray items = new JsonArray();
      JsonArray revisits = new JsonArray();
      for (Entry entry : latest(kept())) {
        items.add(entry.item.state());
        revisits.add(entry.revisit);
      }
      JsonObject state = new JsonObject();
      state.add("items", items);
      state.add("revisits", revisits);
      return state;
    }

    @Override
    public void takeOver(State state) {
      state.size(2);
      List<State> items = state.at("items").items(kept());
      List<State> revisits = state.at("revisits").parts(items.size());
      for (int i = 0; i < items.size(); i++) {
        Item item = Item.of(items.get(i));
        boolean revisit = revisits.get(i).flag();
        State.check(!(item.blank && revisit));
        push(item, revisit);
      }
    }
  }

  // Rules.

  /** What a call is to a rule. */
  private record Role(String key, boolean seen, boolean silent, boolean change) {}

  /** A call that waits for its answer. */
  private record Waiting(String id, long index, long number, List<Role> roles) {
    static Waiting of(State state, int rules) {
      List<State> parts = state.parts(3);
      List<Role> roles = new ArrayList<>();
      for (State each : parts.get(2).parts(rules)) {
        List<State> role = each.parts(4);
        roles.add(new Role(role.get(0).text(), role.get(1).flag(), role.get(2).flag(), role.get(3).flag()));
      }
      String id = parts.get(0).isNull() ? null : parts.get(0).text();
      return new Waiting(id, Item.BEFORE, parts.get(1).number(0), roles);
    }

    Item item(Role role, String answer, boolean blank, Double at) {
      return new Item(new Pair(role.key, answer), blank, role.silent, index, at);
    }

    JsonArray state() {
      JsonArray all = new JsonArray();
      for (Role role : roles) all.add(State.array(role.key, role.seen, role.silent, role.change));
      JsonArray state = State.array(id, number);
      state.add(all);
      return state;
    }
  }

  /** The step that goes on: the calls by their numbers, and the answers of those that have one. */
  private static final class Step {
    long index = Item.BEFORE;
    final Map<Long, String> calls = new LinkedHashMap<>();
    final Map<Long, String> answers = new HashMap<>();

    void add(Waiting call, Role role) {
      if (calls.size() == CALLS_OF_A_STEP) return; // CO-17
      if (calls.isEmpty()) index = call.index;
      calls.put(call.number, role.key);
    }

    /** CO-16, CO-17 */
    Item item(boolean anyOrder, Double at) {
      List<String> parts = new ArrayList<>();
      for (Map.Entry<Long, String> call : calls.entrySet()) {
        Key key = new Key(false).text(call.getValue());
        if (answers.containsKey(call.getKey())) key.text(answers.get(call.getKey()));
        else key.value(JsonNull.INSTANCE);
        parts.add(key.toString());
      }
      if (anyOrder) Collections.sort(parts);
      return new Item(new Pair(String.join("", parts), ""), calls.isEmpty(), false, index, at);
    }

    JsonArray state() {
      JsonArray state = new JsonArray();
      calls.forEach((number, call) -> state.add(State.array(number, call, answers.get(number))));
      return state;
    }

    static Step of(State state) {
      Step step = new Step();
      long latest = -1;
      for (State each : state.items(CALLS_OF_A_STEP)) {
        List<State> call = each.parts(3);
        latest = call.get(0).number(latest + 1);
        step.calls.put(latest, call.get(1).text());
        if (!call.get(2).isNull()) step.answers.put(latest, call.get(2).text());
      }
      return step;
    }
  }

  /** A rule, and what it knows. */
  private static final class Judge {
    final int place; // in the list of rules
    final Rule rule;
    private Items items;
    private Step step;
    private long judged; // the count before
    private int stayed; // the place of the rung that stays
    private Verdict stays;
    private Double now; // the time of the current event, for `seconds`

    Judge(int place, Rule rule) {
      this.place = place;
      this.rule = rule;
      startAfresh();
    }

    /** Goes on from a state of another one. */
    Judge(Judge other, State state) {
      this(other.place, other.rule);
      state.size(4);
      items.takeOver(state.at("items"));
      step = state.at("step").isNull() ? null : Step.of(state.at("step"));
      State.check(step == null || rule.same.by == By.STEP);
      judged = state.at("judged").number(0);
      if (!state.at("stays").isNull()) stay(state.at("stays"));
    }

    private void stay(State state) {
      List<State> parts = state.parts(3);
      stayed = (int) Math.min(parts.get(0).number(0), rule.rungs.size());
      State.check(stayed < rule.rungs.size() && rule.rungs.get(stayed).speaks == Speaks.STAYS);
      boolean cycle = Shape.hasPeriods(rule.shape.sort);
      State.check(cycle != parts.get(2).isNull());
      Integer period = cycle ? (int) Math.min(parts.get(2).number(rule.shape.from), LONGEST_PERIOD + 1) : null;
      State.check(!cycle || period <= rule.shape.to);
      Counted counted = new Counted(parts.get(1).number(1), period, false, null);
      stays = verdict(rule.rungs.get(stayed), counted, List.of());
    }

    /** CO-23 */
    void startAfresh() {
      items = rule.shape.items();
      step = null;
      judged = 0;
      stays = null;
    }

    void setTime(Double at) {
      now = rule.shape.seconds > 0 && at != null && Double.isFinite(at) ? at : null;
    }

    private void startAt(Fresh fresh) {
      if (rule.fresh.contains(fresh)) startAfresh();
    }

    Verdict onCall(Waiting call) {
      Role role = call.roles.get(place);
      startAt(Fresh.CALL);
      if (!role.seen) return null;
      if (rule.same.by == By.STEP) {
        if (step != null) step.add(call, role);
        return null;
      }
      Item item = call.item(role, "", false, now);
      Verdict spoken = rule.before ? judge(item) : null;
      if (rule.same.isAnswered()) return spoken; // CO-7: it is no item yet
      Verdict after = takeIn(item);
      return rule.before ? spoken : after;
    }

    Verdict onAnswer(Waiting call, Answer answer) {
      Role role = call.roles.get(place);
      if (answer.ok && role.change) startAt(Fresh.CHANGE); // CO-24
      if (!role.seen || !rule.same.isAnswered()) return null;
      if (rule.same.by != By.STEP) {
        return takeIn(call.item(role, rule.same.keyOf(answer), rule.same.isBlank(answer.ok), now));
      }
      if (step != null && step.calls.containsKey(call.number)) {
        step.answers.put(call.number, rule.same.keyOf(answer));
      }
      return null;
    }

    Verdict onReply() {
      startAt(Fresh.REPLY);
      if (rule.same.by != By.STEP) return null;
      Step done = step;
      step = new Step();
      return done == null ? null : takeIn(done.item(rule.same.anyOrder, now));
    }

    Verdict onMessage(Message message, long index) {
      boolean assistant = message.role.equals("assistant");
      if (message.role.equals("user")) startAt(Fresh.USER);
      if (assistant) startAt(Fresh.MESSAGE);
      if (assistant && rule.same.by == By.SPEECH) return onText("", false, index); // CO-18
      if (!assistant || rule.same.by != By.MESSAGE) return null;
      return onText(message.content, message.content.isEmpty(), index); // CO-46
    }

    Verdict onPiece(Piece piece, long index) {
      return rule.same.by == By.PIECE ? onText(piece.text, piece.text.isEmpty(), index) : null; // CO-46
    }

    private Verdict onText(String text, boolean blank, long index) {
      return takeIn(new Item(new Pair(text, ""), blank, false, index, now));
    }

    /** Records an item, and judges it where that is not done before. */
    private Verdict takeIn(Item item) {
      if (stays == null) items.push(item); // CO-36
      return rule.before ? null : judge(item);
    }

    private Verdict judge(Item item) {
      if (stays != null) return stays; // CO-36
      Counted counted = items.count(item, rule.before);
      long earlier = judged;
      judged = counted.count;
      int reached = rule.rungs.size() - 1;
      while (reached >= 0 && counted.count < rule.rungs.get(reached).at) reached--; // CO-32
      if (reached < 0 || counted.silent) return null; // CO-22
      Rung rung = rule.rungs.get(reached);
      if (rung.speaks == Speaks.ONCE && earlier >= rung.at) return null; // CO-34
      Stream<Long> numbers = items.evidence(counted, item, rule.before);
      Verdict verdict = verdict(rung, counted, numbers.filter(number -> number != Item.BEFORE).sorted().toList());
      if (rung.speaks == Speaks.RESTART) judged = 0; // CO-35
      if (rung.speaks == Speaks.RESTART || rung.speaks == Speaks.STAYS) items = rule.shape.items();
      if (rung.speaks == Speaks.STAYS) stays = verdict;
      stayed = reached;
      return verdict;
    }

    private Verdict verdict(Rung rung, Counted counted, List<Long> evidence) {
      String kind = word(rule.shape.sort);
      String severity = word(rung.severity);
      return new Verdict(kind, counted.count, severity, rule.name, rung.name, counted.period, evidence);
    }

    JsonObject state() {
      JsonObject state = new JsonObject();
      state.add("items", items.state());
      state.add("step", step == null ? JsonNull.INSTANCE : step.state());
      state.addProperty("judged", judged);
      state.add("stays", stays == null ? JsonNull.INSTANCE : State.array(stayed, stays.count, stays.period));
      return state;
    }
  }

  /** A part of a snapshot, whose readers refuse what cannot have been written (CO-42). */
  private record State(JsonElement value) {
    static final class Impossible extends RuntimeException {
      private static final long serialVersionUID = 1;
    }

    static void check(boolean possible) {
      if (!possible) throw new Impossible();
    }

    static JsonArray array(Object... parts) {
      JsonArray array = new JsonArray();
      for (Object part : parts) {
        if (part instanceof Boolean flag) array.add(flag);
        else if (part instanceof Number number) array.add(number);
        else array.add((String) part);
      }
      return array;
    }

    boolean isNull() {
      return value instanceof JsonNull;
    }

    State at(String name) {
      check(value instanceof JsonObject members && members.has(name));
      return new State(value.getAsJsonObject().get(name));
    }

    void size(int members) {
      check(value instanceof JsonObject object && object.size() == members);
    }

    List<State> items(long most) {
      check(value instanceof JsonArray array && array.size() <= most);
      List<State> items = new ArrayList<>();
      value.getAsJsonArray().forEach(item -> items.add(new State(item)));
      return items;
    }

    List<State> parts(int number) {
      List<State> parts = items(number);
      check(parts.size() == number);
      return parts;
    }

    String text() {
      check(isText(value));
      return value.getAsString();
    }

    boolean flag() {
      check(isFlag(value));
      return value.getAsBoolean();
    }

    Double time() {
      if (isNull()) return null;
      check(isNumber(value));
      return value.getAsDouble();
    }

    long number(long least) {
      check(isNumber(value) && value.getAsString().matches("[0-9]{1,18}") && value.getAsLong() >= least);
      return value.getAsLong();
    }
  }
}
