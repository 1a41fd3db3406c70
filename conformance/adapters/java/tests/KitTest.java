import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kit as a runner sees it: lines in, lines out. */
class KitTest {
  /** Counts the tool calls, and refuses those of the tool "bad" before it has seen them. */
  private static final class Calls implements Loopstone.Detector {
    private final long threshold;
    private long calls;

    Calls(String reading, JsonObject config) {
      threshold = Loopstone.settings(config, Map.of("repeat_threshold", 3L)).get("repeat_threshold");
    }

    @Override
    public void reset() {
      calls = 0;
    }

    @Override
    public void check(Loopstone.Event event) {
      if ("bad".equals(event.text("tool"))) throw Loopstone.Refused.event("tool");
    }

    @Override
    public Loopstone.Verdict observe(Loopstone.Event event) {
      if ("fails".equals(event.text("tool"))) throw new IllegalArgumentException("the detector failed");
      if (event.type().equals("tool_call")) calls++;
      Loopstone.Verdict verdict = Loopstone.Verdict.none().with("loop", calls >= threshold);
      verdict.members().add("seen", event.members());
      return verdict.with("index", event.index());
    }

    @Override
    public JsonObject snapshot() {
      return object("{'calls':" + calls + "}");
    }

    @Override
    public void restore(JsonObject state) {
      if (!state.has("calls")) throw Loopstone.Refused.state();
      calls = state.get("calls").getAsLong();
    }
  }

  private static Loopstone.Adapter adapter() {
    Loopstone.Port port =
        new Loopstone.Port("history", List.of("code", "text"), List.of("snapshot"), Calls::new)
            .has("rules", "repeat")
            .ownDefaults()
            .function("history.echo", (reading, args) -> new JsonPrimitive(reading + args));
    return new Loopstone.Adapter("test-port", "1.0", port);
  }

  /** JSON that is written with ' for ". */
  private static JsonObject object(String text) {
    return JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject();
  }

  private static String request(String method, String params) {
    return object("{'jsonrpc':'2.0','id':1,'method':'" + method + "','params':" + params + "}").toString();
  }

  private static String open(String config) {
    return request("session/open", "{'session':'s','detector':'history','reading':'code','config':" + config + "}");
  }

  private static String observe(String events) {
    return request("session/observe", "{'session':'s','events':" + events + "}");
  }

  private static final String CALL = "{'type':'tool_call','tool':'t'}";

  private static List<JsonObject> raw(byte[]... pieces) {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    Stream<InputStream> inputs = Arrays.stream(pieces).map(ByteArrayInputStream::new);
    try {
      Loopstone.converse(adapter(), new SequenceInputStream(Collections.enumeration(inputs.toList())), output);
    } catch (IOException problem) {
      throw new AssertionError(problem);
    }
    return answers(output);
  }

  private static List<JsonObject> answers(ByteArrayOutputStream output) {
    return output.toString(StandardCharsets.UTF_8).lines().map(l -> JsonParser.parseString(l).getAsJsonObject()).toList();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<JsonObject> ask(String... lines) {
    return raw(bytes(String.join("\n", lines)));
  }

  /** What the error of the last answer says, with ' for ". */
  private static String fault(String... lines) {
    List<JsonObject> answers = ask(lines);
    JsonObject error = answers.get(answers.size() - 1).getAsJsonObject("error");
    return error.get("code") + " " + String.valueOf(error.get("data")).replace('"', '\'');
  }

  private static JsonArray verdicts(JsonObject answer) {
    return answer.getAsJsonObject("result").getAsJsonArray("verdicts");
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "\"7\"", "1.50", "-1", "1180591620717411303424", "\"é😀\\u2028\""})
  void idsComeBackAsTheyWereSent(String id) {
    assertEquals(id, ask("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"initialize\"}").get(0).get("id").toString());
  }

  @Test
  void aLineMayArriveInPiecesAndTheLastNeedsNoEnd() {
    byte[] line = bytes("{\"jsonrpc\":\"2.0\",\"id\":\"é\",\"method\":\"initialize\"}");
    int within = 24; // the é has two bytes
    assertTrue(line[within - 1] < 0 && line[within] < 0);
    byte[] begin = Arrays.copyOf(line, within);
    List<JsonObject> answers = raw(begin, Arrays.copyOfRange(line, within, line.length), bytes("\n \t\r\n\n"), line);
    assertEquals(List.of("é", "é"), answers.stream().map(answer -> answer.get("id").getAsString()).toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{", "nonsense", "{'id':1} x", "{'id':NaN}", "{'id':1,'x':TRUE}", "{'id':01}", "{'a':1,}", "{a:1}", "{'a':'\\x'}",
        "{'a':'\t'}", "\ufeff{}", "[1;2]", "{'a':truE}", "{'a':'\\ugggg'}"
      })
  void whatIsNoJsonIsToldAndTheAdapterGoesOn(String line) {
    List<JsonObject> answers = ask(line.replace('\'', '"'), request("initialize", "{}"));
    assertEquals("-32700", answers.get(0).getAsJsonObject("error").get("code").toString());
    assertEquals("1", answers.get(1).getAsJsonObject("result").get("protocol").toString());
  }

  @Test
  void bytesThatAreNoTextAreNoJson() {
    JsonObject answer = raw(new byte[] {'"', (byte) 0xff, '"', '\n'}).get(0);
    assertEquals("-32700", answer.getAsJsonObject("error").get("code").toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]|-32600",
        "{'id':null,'jsonrpc':'2.0','method':'initialize'}|-32600",
        "{'id':1,'jsonrpc':'1.0','method':'initialize'}|-32600",
        "{'id':1,'jsonrpc':'2.0','method':1}|-32600",
        "{'jsonrpc':'2.0'}|-32600",
        "{'id':1,'jsonrpc':'2.0','method':'x'}|-32601",
      })
  void whatIsNoRequestIsTold(String line, String code) {
    assertEquals(code + " null", fault(line.replace('\'', '"')));
  }

  @Test
  void aNotificationIsActedOnAndNotAnswered() {
    String close = "{\"jsonrpc\":\"2.0\",\"method\":\"session/close\",\"params\":{\"session\":\"s\"}}";
    List<JsonObject> answers = ask(open("{}"), close, close, open("{}"));
    assertEquals(List.of("{}", "{}"), answers.stream().map(answer -> answer.get("result").toString()).toList());
  }

  @Test
  void aBadEventLeavesTheBatchUnseen() {
    String bad = observe("[" + CALL + ",{'type':'tool_call','tool':'bad'}]");
    String good = observe("[" + CALL + ",{'type':'tool_result','content':''}]");
    List<JsonObject> answers = ask(open("{}"), bad, good);
    assertEquals("-32602 {'kind':'invalid_event','field':'tool'}", fault(open("{}"), bad));
    JsonObject first = verdicts(answers.get(2)).get(0).getAsJsonObject();
    JsonObject second = verdicts(answers.get(2)).get(1).getAsJsonObject();
    assertEquals("0 {}", first.get("index") + " " + first.getAsJsonObject("seen").get("args"));
    assertEquals("1 true", second.get("index") + " " + second.getAsJsonObject("seen").get("ok"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "5|type",
        "{'type':'no_such'}|type",
        "{'type':'tool_call'}|tool",
        "{'type':'tool_call','tool':'t','id':null}|id",
        "{'type':'message','role':'robot','content':''}|role",
        "{'type':'iteration','elapsed_s':1,'output':''}|failed",
        "{'type':'reply','cost_usd':'1'}|cost_usd",
        "{'type':'delta'}|text",
        "{'type':'delta','text':'a','channel':'thinking'}|channel",
      })
  void membersOfEventsHaveTheirTypes(String event, String field) {
    assertEquals("-32602 {'kind':'invalid_event','field':'" + field + "'}", fault(open("{}"), observe("[" + event + "]")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "session/open|{'session':'s','detector':'history','reading':'code'}|{'kind':'invalid_params'}",
        "session/open|{'session':'t','detector':'crow','reading':'code'}|{'kind':'unsupported','feature':'crow'}",
        "session/open|{'session':'t','detector':'history','reading':'x'}|{'kind':'unsupported','feature':'x'}",
        "session/state|{'session':'s'}|{'kind':'unsupported','feature':'state'}",
        "session/reset|{'session':'t'}|{'kind':'unknown_session'}",
        "session/restore|{'session':'s'}|{'kind':'invalid_params'}",
        "session/restore|{'session':'s','state':1}|{'kind':'invalid_state'}",
        "session/observe|{'session':'s'}|{'kind':'invalid_params'}",
        "function/call|{'function':'x','args':{}}|{'kind':'unknown_function'}",
        "session/reset|null|{'kind':'invalid_params'}",
      })
  void whatCannotBeCarriedOutIsRefusedByItsKind(String method, String params, String data) {
    assertEquals("-32602 " + data, fault(open("{}"), request(method, params)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{'repeat_threshold':0}", "{'repeat_threshold':true}", "{'repeat_threshold':-3}"})
  void settingsAreIntegersOfAtLeastOne(String config) {
    assertEquals("-32602 {'kind':'invalid_config','field':'repeat_threshold'}", fault(open(config)));
  }

  @Test
  void aPortSaysWhatItHasAndAFunctionGetsItsReading() {
    String call = request("function/call", "{'function':'history.echo','args':{'a':1.0}}");
    List<JsonObject> answers = ask(request("initialize", "{}"), call);
    JsonElement offer = answers.get(0).getAsJsonObject("result").getAsJsonArray("detectors").get(0);
    String want = "{'id':'history','readings':['code','text'],'features':['snapshot'],'rules':['repeat'],'defaults':'own'}";
    assertEquals(object(want), offer);
    assertEquals("code{\"a\":1.0}", answers.get(1).getAsJsonObject("result").get("value").getAsString());
  }

  @Test
  void aSnapshotGoesOn() {
    String restore = request("session/restore", "{'session':'s','state':{'calls':2}}");
    List<JsonObject> answers = ask(open("{}"), restore, observe("[" + CALL + "]"));
    assertTrue(verdicts(answers.get(2)).get(0).getAsJsonObject().get("loop").getAsBoolean());
  }

  @Test
  void whatWasAnsweredIsWrittenWhereADetectorFails() {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    String lines = open("{}") + "\n" + observe("[{'type':'tool_call','tool':'fails'}]") + "\n";
    ByteArrayInputStream input = new ByteArrayInputStream(bytes(lines));
    assertThrows(IllegalArgumentException.class, () -> Loopstone.converse(adapter(), input, output));
    assertEquals(1, answers(output).size());
  }

  @Test
  void aProcessEndsWhenItIsAskedTo() throws Exception {
    String java = ProcessHandle.current().info().command().orElse("java");
    Process process = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "All").start();
    process.getOutputStream().write(bytes(request("shutdown", "{}") + "\n"));
    process.getOutputStream().flush(); // it stays open
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue());
    String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", answer);
  }
}
