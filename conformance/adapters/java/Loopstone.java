// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Loopstone Authors
/*
 * The Loopstone adapter kit for Java 17 and later: makes a loop detector answer to the conformance suite.
 *
 * Copy this file beside your detector, put Gson 2.10 or later on the class path, and write a class:
 *
 *     class Repeats implements Loopstone.Detector {
 *       final long threshold;
 *       int calls;
 *
 *       Repeats(String reading, JsonObject config) {       // an empty object for the defaults
 *         threshold = Loopstone.settings(config, Map.of("repeat_threshold", 3L)).get("repeat_threshold");
 *       }
 *
 *       public void reset() {                              // forget all events, keep the configuration
 *         calls = 0;
 *       }
 *
 *       public Loopstone.Verdict observe(Loopstone.Event event) {    // one event in, one verdict out
 *         if (!event.type().equals("tool_call")) return Loopstone.Verdict.none();
 *         calls++;
 *         boolean loop = calls >= threshold;
 *         return (loop ? Loopstone.Verdict.loop("repeat") : Loopstone.Verdict.none()).with("count", calls);
 *       }
 *
 *       public static void main(String[] args) throws IOException {
 *         Loopstone.serve(
 *             "my-port", "1.0", new Loopstone.Port("history", List.of("code"), List.of(), Repeats::new));
 *       }
 *     }
 *
 * and run the suite on it:  loopstone test -- java -cp classes:gson.jar Repeats
 *
 * A class may have more; declare the feature when it does: state(), snapshot() and restore(state), check(event), which
 * refuses an event that the detector cannot take, and the Port's functions, pure functions of a reading and arguments:
 * port.function("history.hash", (reading, args) -> …). event.index() is what `evidence` names. To refuse, throw before
 * anything has changed: Loopstone.Refused.config("window"), .event("worker"), .state(), .params("count: want 1").
 *
 * A class may have less: declare what it has, and nobody asks for the rest. Without these, it has all:
 *
 *     port.has("rules", "exact")          // the kinds of loop that it knows
 *         .has("members", "loop")         // of its verdicts; this one just says yes or no
 *         .has("settings", "threshold")   // that its config takes; has("settings") for one that cannot be set
 *         .ownDefaults()                  // without a config it differs; the runner sends every setting
 *         .config("{\"rules\":[{}]}")     // of composed: the rules of a detector whose id begins with @
 *
 * Events arrive checked: members have their types, `args` and `ok` their defaults. Batches, sessions, errors and ids are
 * the kit's. It reads whatever waits and answers it with one write, so it keeps up with a runner that pipelines. Standard
 * output belongs to the protocol: print to System.err. Gson keeps the spelling of a number, as the feature `int-float`
 * demands: getAsString() of 1.0 is 1.0.
 */
import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.regex.Pattern;

public final class Loopstone {
  private static final TypeAdapter<JsonElement> JSON = new Gson().getAdapter(JsonElement.class);

  private Loopstone() {}

  // What a port is made of.

  /** One trace, as a detector sees it. */
  public interface Detector {
    void reset();

    Verdict observe(Event event);

    /** Refuses an event before any of its batch is observed. */
    default void check(Event event) {}

    default JsonObject state() {
      throw Refused.unsupported("state");
    }

    default JsonObject snapshot() {
      throw Refused.unsupported("snapshot");
    }

    default void restore(JsonObject state) {
      throw Refused.unsupported("snapshot");
    }
  }

  /** What makes detectors of one kind, given a reading and a configuration, and says what they have. */
  public static final class Port {
    final String detector;
    final List<String> readings;
    final BiFunction<String, JsonObject, Detector> open;
    final Map<String, BiFunction<String, JsonObject, JsonElement>> functions = new HashMap<>();
    final JsonObject offer = new JsonObject();

    public Port(
        String detector,
        List<String> readings,
        List<String> features,
        BiFunction<String, JsonObject, Detector> open) {
      this.detector = detector;
      this.readings = readings;
      this.open = open;
      offer.addProperty("id", detector);
      offer.add("readings", array(readings));
      offer.add("features", array(features));
    }

    /** Declares all that the port has of a part: rules, members or settings. */
    public Port has(String part, String... names) {
      offer.add(part, array(List.of(names)));
      return this;
    }

    /** Declares the rules of a detector whose id begins with @: a configuration of composed, as JSON. */
    public Port config(String rules) {
      offer.add("config", JsonParser.parseString(rules));
      return this;
    }

    public Port ownDefaults() {
      offer.addProperty("defaults", "own");
      return this;
    }

    public Port function(String name, BiFunction<String, JsonObject, JsonElement> function) {
      functions.put(name, function);
      return this;
    }

    void checkReading(String reading) {
      if (!readings.contains(reading)) throw Refused.unsupported(reading);
    }
  }

  /** An event that was checked, and its place in the session. */
  public record Event(JsonObject members, long index) {
    public String type() {
      return text("type");
    }

    /** The text of a member; null where it is not there. */
    public String text(String name) {
      JsonElement value = members.get(name);
      return value == null ? null : value.getAsString();
    }

    public boolean flag(String name) {
      JsonElement value = members.get(name);
      return value != null && value.getAsBoolean();
    }

    /** The arguments of a `tool_call`. */
    public JsonObject args() {
      return members.getAsJsonObject("args");
    }

    public boolean has(String name) {
      return members.has(name);
    }
  }

  /** What a detector says after an event. */
  public record Verdict(JsonObject members) {
    public static Verdict none() {
      return new Verdict(new JsonObject()).with("loop", false);
    }

    public static Verdict loop(String kind) {
      return new Verdict(new JsonObject()).with("loop", true).with("kind", kind);
    }

    public boolean isLoop() {
      return members.get("loop").getAsBoolean();
    }

    public Verdict with(String name, String value) {
      members.addProperty(name, value);
      return this;
    }

    public Verdict with(String name, Number value) {
      members.addProperty(name, value);
      return this;
    }

    public Verdict with(String name, boolean value) {
      members.addProperty(name, value);
      return this;
    }

    /** The events that the rule counted; left out where there are none. */
    public Verdict evidence(Iterable<Long> indices) {
      JsonArray evidence = new JsonArray();
      indices.forEach(evidence::add);
      if (!evidence.isEmpty()) members.add("evidence", evidence);
      return this;
    }
  }

  /** A request that cannot be carried out: the kind of the fault, and the field or feature that it is about. */
  public static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int code;
    private final transient JsonObject data = new JsonObject();

    private Refused(int code, String message) {
      super(message, null, false, false); // it is told, not traced
      this.code = code;
    }

    private static Refused of(String kind, String message) {
      Refused refused = new Refused(-32602, message);
      refused.data.addProperty("kind", kind);
      return refused;
    }

    private static Refused about(String kind, String part, String name) {
      Refused refused = of(kind, name + ": missing, unknown or wrong");
      refused.data.addProperty(part, name);
      return refused;
    }

    public static Refused config(String field) {
      return about("invalid_config", "field", field);
    }

    public static Refused event(String field) {
      return about("invalid_event", "field", field);
    }

    public static Refused state() {
      return of("invalid_state", "no such state");
    }

    public static Refused params(String message) {
      return of("invalid_params", message);
    }

    public static Refused unsupported(String feature) {
      return about("unsupported", "feature", feature);
    }

    private JsonObject error() {
      JsonObject error = new JsonObject();
      error.addProperty("code", code);
      error.addProperty("message", getMessage());
      if (data.size() > 0) error.add("data", data);
      return error;
    }
  }

  /** The integers of a configuration, each at least 1, with their defaults; refuses what is not among them. */
  public static Map<String, Long> settings(JsonObject config, Map<String, Long> defaults) {
    Map<String, Long> values = new HashMap<>(defaults);
    for (Map.Entry<String, JsonElement> member : config.entrySet()) {
      String name = member.getKey();
      if (!defaults.containsKey(name) || !isPositive(member.getValue())) throw Refused.config(name);
      values.put(name, integer(member.getValue()));
    }
    return values;
  }

  private static final Pattern POSITIVE = Pattern.compile("[1-9][0-9]*");

  /** Whether the value is an integer of at least 1. */
  public static boolean isPositive(JsonElement value) {
    return isNumber(value) && POSITIVE.matcher(value.getAsString()).matches();
  }

  /** The integer; those of more than 18 digits are the largest that there is. */
  public static long integer(JsonElement value) {
    String digits = value.getAsString();
    return digits.length() > 18 ? Long.MAX_VALUE : Long.parseLong(digits);
  }

  /** The text of this name, which must be there. */
  public static String text(JsonObject members, String name) {
    if (!isText(members.get(name))) throw Refused.params(name + ": want a string");
    return members.get(name).getAsString();
  }

  /** The object of this name, which must be there. */
  public static JsonObject object(JsonObject members, String name) {
    if (!isObject(members.get(name))) throw Refused.params(name + ": want an object");
    return members.getAsJsonObject(name);
  }

  public static boolean isText(JsonElement value) {
    return value instanceof JsonPrimitive p && p.isString();
  }

  public static boolean isNumber(JsonElement value) {
    return value instanceof JsonPrimitive p && p.isNumber();
  }

  public static boolean isBoolean(JsonElement value) {
    return value instanceof JsonPrimitive p && p.isBoolean();
  }

  public static boolean isArray(JsonElement value) {
    return value instanceof JsonArray;
  }

  public static boolean isObject(JsonElement value) {
    return value instanceof JsonObject;
  }

  private static JsonArray array(List<String> names) {
    JsonArray array = new JsonArray();
    names.forEach(array::add);
    return array;
  }

  // Events.

  private record Member(String name, boolean required, Predicate<JsonElement> legal) {}

  private static final Map<String, List<Member>> MEMBERS = new HashMap<>();

  static {
    event("tool_call", needs("tool"), may("args", Loopstone::isObject), may("id"), may("worker"), may("thought"));
    event("tool_result", needs("content"), may("tool"), may("call"), may("ok", Loopstone::isBoolean));
    event("error", needs("message"), may("error_type"), may("call"), may("tool"));
    event("message", needs("role", Loopstone::isRole), needs("content"), may("tool_calls", Loopstone::isArray));
    event("output", needs("text"));
    event("test_run", needs("passed", Loopstone::isBoolean));
    event(
        "iteration",
        needs("elapsed_s", Loopstone::isNumber),
        needs("output"),
        needs("failed", Loopstone::isBoolean));
    event("reply"); // like thought, cost and tokens for those only that declare the feature `replies`
    event("delta", needs("text"), may("channel", Loopstone::isChannel)); // for those only that observe it
  }

  private static void event(String type, Member... members) {
    List<Member> all = new ArrayList<>(List.of(members));
    for (String any : List.of("at", "cost_usd", "input_tokens", "output_tokens")) {
      all.add(may(any, Loopstone::isNumber));
    }
    MEMBERS.put(type, all);
  }

  private static Member needs(String name) {
    return needs(name, Loopstone::isText);
  }

  private static Member needs(String name, Predicate<JsonElement> legal) {
    return new Member(name, true, legal);
  }

  private static Member may(String name) {
    return may(name, Loopstone::isText);
  }

  private static Member may(String name, Predicate<JsonElement> legal) {
    return new Member(name, false, legal);
  }

  private static boolean isRole(JsonElement value) {
    return isText(value) && Set.of("user", "assistant", "system").contains(value.getAsString());
  }

  private static boolean isChannel(JsonElement value) {
    return isText(value) && Set.of("answer", "thought", "arguments").contains(value.getAsString());
  }

  /** Refuses an event that is not as the protocol says, and fills in the defaults. */
  private static JsonObject checked(JsonElement element) {
    if (!(element instanceof JsonObject event) || !isText(event.get("type"))) throw Refused.event("type");
    String type = event.get("type").getAsString();
    if (!MEMBERS.containsKey(type)) throw Refused.event("type");
    for (Member member : MEMBERS.get(type)) {
      JsonElement value = event.get(member.name);
      if (value == null ? member.required : !member.legal.test(value)) throw Refused.event(member.name);
    }
    if (type.equals("tool_call") && !event.has("args")) event.add("args", new JsonObject());
    if (type.equals("tool_result") && !event.has("ok")) event.addProperty("ok", true);
    return event;
  }

  // The protocol.

  private static final class Session {
    final Detector detector;
    long events;

    Session(Detector detector) {
      this.detector = detector;
    }

    /** The verdicts on a batch, which is checked whole before the detector sees any of it. */
    JsonArray observe(JsonElement given) {
      if (!(given instanceof JsonArray batch)) throw Refused.params("events: want an array");
      List<Event> events = new ArrayList<>(batch.size());
      for (JsonElement element : batch) {
        Event event = new Event(checked(element), this.events + events.size());
        detector.check(event);
        events.add(event);
      }
      JsonArray verdicts = new JsonArray(events.size());
      for (Event event : events) verdicts.add(detector.observe(event).members);
      this.events += events.size();
      return verdicts;
    }
  }

  /** Answers requests, line by line. */
  static final class Adapter {
    private final JsonObject hello = new JsonObject();
    private final Map<String, Port> ports = new LinkedHashMap<>();
    private final Map<String, Session> sessions = new HashMap<>();
    private boolean done;

    Adapter(String name, String version, Port... ports) {
      JsonArray offers = new JsonArray();
      for (Port port : ports) {
        this.ports.put(port.detector, port);
        offers.add(port.offer);
      }
      hello.addProperty("protocol", 1);
      hello.addProperty("name", name);
      hello.addProperty("version", version);
      hello.addProperty("language", "java");
      hello.add("detectors", offers);
    }

    /** The answer to a line; null for an empty line and for a notification. */
    JsonObject answer(byte[] line) {
      JsonObject answer = new JsonObject();
      answer.addProperty("jsonrpc", "2.0");
      answer.add("id", JsonNull.INSTANCE);
      boolean silent = false;
      try {
        String text = decode(line);
        if (text.chars().allMatch(c -> c == ' ' || c == '\t' || c == '\r')) return null;
        if (!(parse(text) instanceof JsonObject request)) throw new Refused(-32600, "no object");
        JsonElement id = request.get("id");
        if (id != null && !isText(id) && !isNumber(id)) throw new Refused(-32600, "id: want a string or a number");
        if (id != null) answer.add("id", id);
        boolean sound = isText(request.get("jsonrpc")) && isText(request.get("method"));
        if (!sound || !text(request, "jsonrpc").equals("2.0")) throw new Refused(-32600, "no request");
        silent = id == null;
        JsonObject params = request.has("params") ? object(request, "params") : new JsonObject();
        answer.add("result", handle(text(request, "method"), params));
      } catch (Refused refused) {
        answer.add("error", refused.error());
      }
      return silent ? null : answer;
    }

    private JsonObject handle(String method, JsonObject params) {
      switch (method) {
        case "session/observe":
          return result("verdicts", session(params).observe(params.get("events")));
        case "session/open":
          return open(params);
        case "session/reset":
          session(params).detector.reset();
          return new JsonObject();
        case "session/close":
          session(params);
          sessions.remove(text(params, "session"));
          return new JsonObject();
        case "session/state":
          return result("state", session(params).detector.state());
        case "session/snapshot":
          return result("state", session(params).detector.snapshot());
        case "session/restore":
          return restore(session(params).detector, params.get("state"));
        case "function/call":
          return result("value", call(params));
        case "initialize":
          return hello;
        case "shutdown":
          done = true;
          return new JsonObject();
        default:
          throw new Refused(-32601, "no method " + method);
      }
    }

    private static JsonObject result(String name, JsonElement value) {
      JsonObject result = new JsonObject();
      result.add(name, value);
      return result;
    }

    private Session session(JsonObject params) {
      Session session = sessions.get(text(params, "session"));
      if (session == null) throw Refused.of("unknown_session", "no such session is open");
      return session;
    }

    private JsonObject open(JsonObject params) {
      String name = text(params, "session");
      String detector = text(params, "detector");
      String reading = text(params, "reading");
      JsonObject config = params.has("config") ? object(params, "config") : new JsonObject();
      if (!ports.containsKey(detector)) throw Refused.unsupported(detector);
      ports.get(detector).checkReading(reading);
      if (sessions.containsKey(name)) throw Refused.params(name + " is open");
      JsonArray settings = ports.get(detector).offer.getAsJsonArray("settings");
      for (String field : config.keySet()) {
        if (settings != null && !settings.contains(new JsonPrimitive(field))) throw Refused.config(field);
      }
      sessions.put(name, new Session(ports.get(detector).open.apply(reading, config)));
      return new JsonObject();
    }

    private static JsonObject restore(Detector detector, JsonElement state) {
      if (state == null) throw Refused.params("state is missing");
      if (!(state instanceof JsonObject found)) throw Refused.state();
      detector.restore(found);
      return new JsonObject();
    }

    private JsonElement call(JsonObject params) {
      String name = text(params, "function");
      JsonObject args = object(params, "args");
      for (Port port : ports.values()) {
        if (!port.functions.containsKey(name)) continue;
        String reading = params.has("reading") ? text(params, "reading") : port.readings.get(0);
        port.checkReading(reading);
        return port.functions.get(name).apply(reading, args);
      }
      throw Refused.of("unknown_function", "no function " + name);
    }
  }

  private static String decode(byte[] line) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
    } catch (CharacterCodingException problem) {
      throw new Refused(-32700, "not UTF-8");
    }
  }

  /** The message on a line. Gson 2.10 takes an integer that ends in 64 zeros or more for no JSON. */
  private static JsonElement parse(String text) {
    try (JsonReader reader = new JsonReader(new StringReader(text))) {
      reader.setLenient(false);
      JsonElement value = JSON.read(reader);
      if (reader.peek() != JsonToken.END_DOCUMENT || !isPlain(text)) throw new MalformedJsonException("not JSON");
      return value;
    } catch (IOException | JsonParseException | IllegalStateException | NumberFormatException problem) {
      throw new Refused(-32700, String.valueOf(problem.getMessage()));
    }
  }

  /** Whether there is nothing in the text that Gson takes though it is not JSON: TRUE, a mark of byte order, \'. */
  private static boolean isPlain(String text) {
    boolean within = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (within && c < ' ') return false;
      if (within && c == '\\' && "\"\\/bfnrtu".indexOf(text.charAt(++i)) < 0) return false;
      if (!within && c > '~') return false;
      if (!within && Character.isUpperCase(c) && !(c == 'E' && Character.isDigit(text.charAt(i - 1)))) return false;
      if (c == '"') within = !within;
    }
    return true;
  }

  /** Answers the runner until it asks to shut down or closes the input. */
  public static void serve(String name, String version, Port... ports) throws IOException {
    // Not System.out: it would keep to itself that nobody reads any more.
    converse(new Adapter(name, version, ports), System.in, new FileOutputStream(FileDescriptor.out));
  }

  /** Reads whatever waits, and answers it with one write. */
  static void converse(Adapter adapter, InputStream input, OutputStream output) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    byte[] chunk = new byte[1 << 16];
    for (int n = 0; n >= 0 && !adapter.done; ) {
      n = input.read(chunk);
      StringBuilder answers = new StringBuilder();
      try {
        int start = 0;
        for (int i = 0; i < n && !adapter.done; i++) {
          if (chunk[i] != '\n') continue;
          line.write(chunk, start, i - start);
          answer(adapter, line, answers);
          start = i + 1;
        }
        if (n < 0) answer(adapter, line, answers); // the last line may have no line feed
        else line.write(chunk, start, n - start);
      } finally { // what was answered is written even where a detector fails
        output.write(answers.toString().getBytes(StandardCharsets.UTF_8));
        output.flush();
      }
    }
  }

  private static void answer(Adapter adapter, ByteArrayOutputStream line, StringBuilder answers) {
    byte[] bytes = line.toByteArray();
    line.reset();
    JsonObject answer = adapter.answer(bytes);
    if (answer != null) answers.append(answer).append('\n');
  }
}
