import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The detector `history` in Java, to be read with spec/clauses/history.md. */
final class History implements Loopstone.Detector {
  static final Loopstone.Port PORT =
      new Loopstone.Port(
              "history",
              List.of("code"),
              List.of("hashes", "mitigations", "snapshot", "evidence", "int-float", "replies"),
              History::new)
          .function("history.hash", History::hashFunction);

  private static final Pattern HASH = Pattern.compile("[0-9a-f]{32}");

  /** A call in the window. Its hash is null where its tool is normalized, its word where it has none. */
  private record Call(String tool, String hash, String word, long index) {
    static final long BEFORE = -1; // the index of a call from before a restore

    /** Equal for equal calls (HI-6, HI-18): no hash begins with a colon. */
    String identity() {
      return hash == null ? ":" + tool : hash;
    }

    /** HI-20: no word has a blank. Null for a call without a word. */
    String opening() {
      return word == null ? null : word + " " + tool;
    }
  }

  private final long threshold;
  private final long size;
  private final Set<String> normalize = new HashSet<>();
  private final Map<String, Long> limits = new HashMap<>();
  private final long wordThreshold;

  private final Deque<Call> window = new ArrayDeque<>();
  private Tally equal;
  private Tally tools;
  private Tally openings;

  History(String reading, JsonObject config) {
    JsonObject rest = config.deepCopy();
    readNormalize(rest.remove("normalize"));
    readLimits(rest.remove("tool_limits"));
    JsonElement words = rest.remove("first_word_threshold");
    if (words != null && !Loopstone.isPositive(words)) throw Loopstone.Refused.config("first_word_threshold");
    wordThreshold = words == null ? Long.MAX_VALUE : Loopstone.integer(words);
    Map<String, Long> numbers = Loopstone.settings(rest, Map.of("repeat_threshold", 3L, "history_size", 20L));
    threshold = numbers.get("repeat_threshold"); // HI-2, HI-3, HI-4
    size = numbers.get("history_size");
    reset();
  }

  private void readNormalize(JsonElement given) { // HI-17
    if (given == null) return;
    if (!(given instanceof JsonArray names)) throw Loopstone.Refused.config("normalize");
    for (JsonElement name : names) {
      if (!Loopstone.isText(name)) throw Loopstone.Refused.config("normalize");
      normalize.add(name.getAsString());
    }
  }

  private void readLimits(JsonElement given) { // HI-17
    if (given == null) return;
    if (!(given instanceof JsonObject members)) throw Loopstone.Refused.config("tool_limits");
    for (String tool : members.keySet()) {
      if (!Loopstone.isPositive(members.get(tool))) throw Loopstone.Refused.config("tool_limits");
      limits.put(tool, Loopstone.integer(members.get(tool)));
    }
  }

  /** HI-6 */
  static String digest(String tool, JsonObject args) {
    byte[] text = (tool + ":" + PythonText.of(args)).getBytes(StandardCharsets.UTF_8);
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(text));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has MD5", impossible);
    }
  }

  private static JsonElement hashFunction(String reading, JsonObject args) { // HI-27, HI-28
    return new JsonPrimitive(digest(Loopstone.text(args, "tool"), Loopstone.object(args, "args")));
  }

  @Override
  public void reset() { // HI-5
    window.clear();
    equal = new Tally();
    tools = new Tally();
    openings = new Tally();
  }

  @Override
  public Loopstone.Verdict observe(Loopstone.Event event) {
    if (!event.type().equals("tool_call")) return Loopstone.Verdict.none(); // HI-1
    if (window.size() == size) forgetOldest(); // HI-10
    String tool = event.text("tool");
    String hash = normalize.contains(tool) ? null : digest(tool, event.args()); // HI-18
    remember(new Call(tool, hash, Command.firstWord(event.args()), event.index())); // HI-21
    return verdict();
  }

  private void remember(Call call) {
    window.addLast(call);
    equal.add(call.identity());
    tools.add(call.tool);
    if (call.word != null) openings.add(call.opening());
  }

  private void forgetOldest() {
    Call call = window.removeFirst();
    equal.remove(call.identity());
    tools.remove(call.tool);
    if (call.word != null) openings.remove(call.opening());
  }

  /** The whole window is judged (HI-15); of several rules the first gives the verdict (HI-22). */
  private Loopstone.Verdict verdict() {
    if (equal.highest() >= threshold) return loop("repeat", equal.highest(), equal, Call::identity); // HI-13
    int most = limits.keySet().stream().filter(this::isAbove).mapToInt(tools::of).max().orElse(0);
    if (most > 0) return loop("tool_limit", most, tools, call -> isAbove(call.tool) ? call.tool : null); // HI-19
    if (openings.highest() >= wordThreshold) {
      return loop("first_word", openings.highest(), openings, Call::opening); // HI-20
    }
    return Loopstone.Verdict.none().with("count", equal.highest()); // HI-14
  }

  private boolean isAbove(String tool) {
    return limits.containsKey(tool) && tools.of(tool) > limits.get(tool);
  }

  /** The calls that were counted are those of the key with this count that has the latest call (HI-24). */
  private Loopstone.Verdict loop(String kind, int count, Tally tally, Function<Call, String> keyOf) {
    String spoken = null;
    List<Long> evidence = new ArrayList<>();
    for (Iterator<Call> calls = window.descendingIterator(); calls.hasNext() && evidence.size() < 100; ) { // HI-23
      Call call = calls.next();
      String key = keyOf.apply(call);
      if (key == null) continue;
      if (spoken == null && tally.of(key) == count) spoken = key;
      if (key.equals(spoken) && call.index != Call.BEFORE) evidence.add(call.index); // HI-30
    }
    Collections.reverse(evidence);
    return Loopstone.Verdict.loop(kind).with("count", count).evidence(evidence);
  }

  @Override
  public JsonObject snapshot() { // HI-25
    JsonArray calls = new JsonArray();
    for (Call call : window) {
      JsonArray parts = new JsonArray();
      parts.add(call.tool);
      parts.add(call.hash);
      parts.add(call.word);
      calls.add(parts);
    }
    JsonObject state = new JsonObject();
    state.add("calls", calls);
    return state;
  }

  @Override
  public void restore(JsonObject state) { // HI-26
    if (!(state.get("calls") instanceof JsonArray given) || state.size() != 1 || given.size() > size) { // HI-29
      throw Loopstone.Refused.state();
    }
    List<Call> calls = new ArrayList<>();
    for (JsonElement call : given) calls.add(possible(call));
    reset();
    calls.forEach(this::remember);
  }

  /** The call, where one can have left these parts under this configuration. */
  private Call possible(JsonElement given) {
    if (!(given instanceof JsonArray parts) || parts.size() != 3 || !Loopstone.isText(parts.get(0))) {
      throw Loopstone.Refused.state();
    }
    Call call = new Call(parts.get(0).getAsString(), optional(parts.get(1)), optional(parts.get(2)), Call.BEFORE);
    boolean hashed = call.hash != null && HASH.matcher(call.hash).matches();
    boolean legal = normalize.contains(call.tool) ? call.hash == null : hashed;
    if (!legal || call.word != null && !Command.isWord(call.word)) throw Loopstone.Refused.state();
    return call;
  }

  private static String optional(JsonElement value) {
    if (value instanceof JsonNull) return null;
    if (!Loopstone.isText(value)) throw Loopstone.Refused.state();
    return value.getAsString();
  }
}
