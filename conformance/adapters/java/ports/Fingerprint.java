import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The detector `fingerprint` in Java, to be read with spec/clauses/fingerprint.md. */
final class Fingerprint implements Loopstone.Detector {
  static final Loopstone.Port PORT =
      new Loopstone.Port(
              "fingerprint",
              List.of("text"),
              List.of("messages", "layout", "functions", "state", "snapshot", "evidence", "replies"),
              Fingerprint::new)
          .function("fingerprint.compute", Fingerprint::compute)
          .function("fingerprint.nudge", Fingerprint::nudge);

  static final int KNOWN_IDS = 1000; // FP-34

  private static final Map<String, Long> DEFAULTS =
      Map.of(
          "threshold", 3L, "fuzzy_threshold", 4L, "window", 10L, // FP-3
          "test_failures", 3L, "bash_failures", 3L, "text_turns", 2L);

  /** The last call: another one ends a run for good, so no more has to be remembered (FP-23). */
  private record Last(String tool, JsonObject args, String exactText, String fuzzyText, long exact, long fuzzy) {
    Last(String tool, JsonObject args, long exact, long fuzzy) {
      this(tool, args, CallText.exact(tool, args), CallText.fuzzy(tool, args), exact, fuzzy);
    }
  }

  /** What is remembered of a call with an id. */
  private record Known(String tool, boolean forFiles) {}

  private final Map<String, Long> config;

  private Last last;
  private Run calls;
  private Map<String, Known> ids;
  private boolean bashForFiles; // the last bash call
  private boolean failureForFiles; // the last failing command
  private Run tests;
  private Run bash;
  private Run talk;
  private JsonElement warned;

  Fingerprint(String reading, JsonObject config) {
    this.config = Loopstone.settings(config, DEFAULTS); // FP-4
    reset();
  }

  private static JsonElement compute(String reading, JsonObject args) { // FP-45, FP-47
    return new JsonPrimitive(CallText.fuzzy(Loopstone.text(args, "tool"), Loopstone.object(args, "args")));
  }

  private static JsonElement nudge(String reading, JsonObject args) { // FP-46, FP-47
    if (!Loopstone.isPositive(args.get("count"))) throw Loopstone.Refused.params("count: want 1 or more");
    return new JsonPrimitive(Nudge.of(Loopstone.text(args, "tool"), Loopstone.integer(args.get("count"))));
  }

  @Override
  public void reset() { // FP-5
    last = null;
    calls = new Run();
    ids = new LinkedHashMap<>();
    bashForFiles = false;
    failureForFiles = false;
    tests = new Run();
    bash = new Run();
    talk = new Run();
    warned = new JsonPrimitive(0);
  }

  @Override
  public Loopstone.Verdict observe(Loopstone.Event event) {
    Loopstone.Verdict verdict =
        switch (event.type()) { // FP-2
          case "tool_call" -> onCall(event);
          case "test_run" -> onTestRun(event);
          case "tool_result" -> onResult(event);
          case "message" -> onMessage(event);
          default -> Loopstone.Verdict.none(); // FP-1
        };
    if (verdict.isLoop() && event.has("at")) warned = event.members().get("at"); // FP-41
    return verdict;
  }

  private Loopstone.Verdict onCall(Loopstone.Event event) {
    String tool = event.text("tool");
    Last before = last;
    last = new Last(tool, event.args(), 1, 1);
    if (before != null) {
      long exact = next(before.exact, before.exactText.equals(last.exactText)); // FP-16
      long fuzzy = next(before.fuzzy, before.fuzzyText.equals(last.fuzzyText)); // FP-17
      last = new Last(tool, last.args, last.exactText, last.fuzzyText, exact, fuzzy);
    }
    calls.lengthen(event.index());
    talk = new Run(); // FP-37
    boolean forFiles = callsForFileTools(event.args());
    if (tool.equals("bash")) bashForFiles = forFiles;
    if (event.has("id")) know(event.text("id"), new Known(tool, forFiles));
    return verdictOnCall();
  }

  private long next(long count, boolean same) {
    return same ? Math.min(count + 1, config.get("window")) : 1;
  }

  /** Whether the command is one that D1 has better tools for (FP-35). */
  private static boolean callsForFileTools(JsonObject args) {
    String first = Command.firstWord(args);
    return first != null && List.of("cat", "echo", "sed").contains(first);
  }

  /** The latest call of an id is meant (FP-32); of many, the oldest are forgotten. */
  private void know(String id, Known known) {
    ids.remove(id);
    ids.put(id, known);
    if (ids.size() > KNOWN_IDS) ids.remove(ids.keySet().iterator().next());
  }

  private Loopstone.Verdict verdictOnCall() {
    if (last == null) return Loopstone.Verdict.none().with("count", 0);
    if (last.exact >= config.get("threshold")) return loopOfCalls("exact", last.exact); // FP-18, FP-20
    if (last.fuzzy >= config.get("fuzzy_threshold")) return loopOfCalls("fuzzy", last.fuzzy); // FP-19
    return Loopstone.Verdict.none().with("count", last.exact); // FP-21
  }

  private Loopstone.Verdict loopOfCalls(String kind, long count) {
    return Loopstone.Verdict.loop(kind)
        .with("count", count)
        .with("tool", last.tool) // FP-22
        .with("severity", Nudge.severity(count))
        .with("message", Nudge.of(last.tool, count))
        .evidence(calls.last(count)); // FP-42
  }

  private Loopstone.Verdict onTestRun(Loopstone.Event event) {
    if (event.flag("passed")) tests = new Run(); // FP-28
    else tests.lengthen(event.index());
    return verdictOn(tests, "test_fix", "test_failures", Nudge.TESTS_FAIL); // FP-29, FP-30
  }

  private Loopstone.Verdict onResult(Loopstone.Event event) {
    Known known = event.has("call") ? ids.get(event.text("call")) : null;
    String tool = event.has("tool") ? event.text("tool") : known == null ? null : known.tool; // FP-32
    if ("bash".equals(tool) && event.flag("ok")) {
      bash = new Run(); // FP-31; of other tools, or none, the result is neutral (FP-33)
    } else if ("bash".equals(tool)) {
      bash.lengthen(event.index());
      failureForFiles = known == null ? bashForFiles : known.forFiles; // FP-50, FP-51
    }
    String text = Nudge.BASH_FAILS + (failureForFiles ? Nudge.USE_FILE_TOOLS : ""); // FP-35
    return verdictOn(bash, "bash_cascade", "bash_failures", text);
  }

  private Loopstone.Verdict onMessage(Loopstone.Event event) {
    if (event.text("role").equals("assistant")) { // FP-39
      JsonElement toolCalls = event.members().get("tool_calls");
      if (toolCalls instanceof JsonArray made && !made.isEmpty()) talk = new Run(); // FP-37
      else talk.lengthen(event.index()); // FP-36
    }
    return verdictOn(talk, "summary", "text_turns", Nudge.TALK); // FP-38
  }

  private Loopstone.Verdict verdictOn(Run run, String kind, String threshold, String text) {
    if (run.length() < config.get(threshold)) return Loopstone.Verdict.none();
    return Loopstone.Verdict.loop(kind)
        .with("count", run.length())
        .with("message", Nudge.withCount(text, run.length()))
        .evidence(run.indices());
  }

  @Override
  public JsonObject state() { // FP-40
    JsonObject verdict = verdictOnCall().members();
    JsonObject state = new JsonObject();
    state.add("doomLoopDetected", verdict.get("loop"));
    state.add("lastTool", last == null ? JsonNull.INSTANCE : new JsonPrimitive(last.tool));
    state.add("consecutiveCount", verdict.get("count"));
    state.addProperty("threshold", config.get("threshold"));
    state.addProperty("fuzzyThreshold", config.get("fuzzy_threshold"));
    state.add("lastWarningTime", warned);
    return state;
  }

  @Override
  public JsonObject snapshot() { // FP-43
    JsonObject state = new JsonObject();
    JsonArray known = new JsonArray();
    ids.forEach((id, call) -> known.add(parts(id, call)));
    state.add("ids", known);
    state.add("last", last == null ? JsonNull.INSTANCE : parts(last));
    state.addProperty("bash_for_files", bashForFiles);
    state.addProperty("failure_for_files", failureForFiles);
    state.addProperty("tests", tests.length());
    state.addProperty("bash", bash.length());
    state.addProperty("talk", talk.length());
    state.add("warned", warned);
    return state;
  }

  private static JsonArray parts(String id, Known call) {
    JsonArray parts = new JsonArray();
    parts.add(id);
    parts.add(call.tool);
    parts.add(call.forFiles);
    return parts;
  }

  private static JsonObject parts(Last last) {
    JsonObject parts = new JsonObject();
    parts.addProperty("tool", last.tool);
    parts.add("args", last.args);
    parts.addProperty("exact", last.exact);
    parts.addProperty("fuzzy", last.fuzzy);
    return parts;
  }

  @Override
  public void restore(JsonObject state) { // FP-44
    Fingerprint restored = new Fingerprint("text", new JsonObject());
    restored.config.putAll(config);
    restored.take(state);
    last = restored.last;
    calls = restored.calls;
    ids = restored.ids;
    bashForFiles = restored.bashForFiles;
    failureForFiles = restored.failureForFiles;
    tests = restored.tests;
    bash = restored.bash;
    talk = restored.talk;
    warned = restored.warned;
  }

  /** Takes the state over, into a detector that is thrown away where the state is refused in the midst of it. */
  private void take(JsonObject state) {
    check(state.keySet().equals(snapshot().keySet()));
    last = lastOf(state.get("last"));
    check(state.get("ids") instanceof JsonArray known && known.size() <= KNOWN_IDS && (last != null || known.isEmpty()));
    for (JsonElement each : state.getAsJsonArray("ids")) {
      check(each instanceof JsonArray call && call.size() == 3);
      JsonArray call = each.getAsJsonArray();
      check(Loopstone.isText(call.get(0)) && Loopstone.isText(call.get(1)) && Loopstone.isBoolean(call.get(2)));
      know(call.get(0).getAsString(), new Known(call.get(1).getAsString(), call.get(2).getAsBoolean()));
    }
    check(ids.size() == state.getAsJsonArray("ids").size());
    bashForFiles = flag(state.get("bash_for_files"));
    failureForFiles = flag(state.get("failure_for_files"));
    tests = new Run(length(state.get("tests")));
    bash = new Run(length(state.get("bash")));
    talk = new Run(length(state.get("talk")));
    warned = state.get("warned");
    check(Loopstone.isNumber(warned));
  }

  private Last lastOf(JsonElement state) {
    if (state instanceof JsonNull) return null;
    check(state instanceof JsonObject found && found.keySet().equals(parts(new Last("", found, 1, 1)).keySet()));
    JsonObject parts = state.getAsJsonObject();
    check(Loopstone.isText(parts.get("tool")) && Loopstone.isObject(parts.get("args")));
    check(Loopstone.isPositive(parts.get("exact")) && Loopstone.isPositive(parts.get("fuzzy")));
    long exact = Loopstone.integer(parts.get("exact"));
    long fuzzy = Loopstone.integer(parts.get("fuzzy"));
    check(exact <= fuzzy && fuzzy <= config.get("window")); // FP-48
    return new Last(parts.get("tool").getAsString(), parts.getAsJsonObject("args"), exact, fuzzy);
  }

  private static boolean flag(JsonElement value) {
    check(Loopstone.isBoolean(value));
    return value.getAsBoolean();
  }

  private static long length(JsonElement value) {
    check(Loopstone.isPositive(value) || Loopstone.isNumber(value) && value.getAsString().equals("0"));
    return Loopstone.integer(value);
  }

  private static void check(boolean sound) {
    if (!sound) throw Loopstone.Refused.state();
  }
}
