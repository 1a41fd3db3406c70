import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A few of the examples that the documents print, and the seams of the ports. The suite itself judges the rest. */
class PortsTest {
  private static JsonObject object(String text) {
    return JsonParser.parseString(text).getAsJsonObject();
  }

  private static JsonObject command(String command) {
    JsonObject args = new JsonObject();
    args.add("command", new JsonPrimitive(command));
    return args;
  }

  @Test
  void theHashOfTheDocument() {
    assertEquals("9e3dc59bb241e60390e6a908bfb21b43", History.digest("read_file", object("{\"path\":\"a.py\"}")));
  }

  @ParameterizedTest
  @CsvSource({
    "-0, 0", "-0.0, -0.0", "123456789012345678901234567890, 123456789012345678901234567890", "1e0, 1.0", "1.00, 1.0",
    "1e15, 1000000000000000.0", "1e16, 1e+16", "12e20, 1.2e+21", "0.0001, 0.0001", "0.00001, 1e-05", "15e-8, 1.5e-07",
    "5e-324, 5e-324", "2e23, 2e+23", "-1.1, -1.1", "5.6843418860808015e-14, 5.684341886080802e-14",
    "9007199254740993.0, 9007199254740992.0", "1e400, Infinity", "-1E400, -Infinity", "1e-400, 0.0"
  })
  void numbersAreThoseOfPython(String json, String want) {
    assertEquals(want, PythonText.number(json));
  }

  @Test
  void textsAreThoseOfPython() {
    String json = "{\"\ud83d\ude00\":[1,{}],\"\uff61\":\"\\u007f\\b/<\\n\",\"a\":[]}";
    String want = "{\"a\": [], \"\\uff61\": \"\\u007f\\b/<\\n\", \"\\ud83d\\ude00\": [1, {}]}"; // by code points
    assertEquals(want, PythonText.of(object(json)));
  }

  @Test
  void aTallyFollowsTheMostFrequent() {
    Tally tally = new Tally();
    List.of("a", "a", "b", "a", "b", "b").forEach(tally::add);
    assertEquals(3, tally.highest());
    List.of("a", "a", "b").forEach(tally::remove);
    assertEquals(List.of(2, 1, 2), List.of(tally.highest(), tally.of("a"), tally.of("b")));
  }

  @Test
  void badStatesAreRefused() {
    History session = new History("code", object("{\"history_size\":1,\"normalize\":[\"n\"]}"));
    String good = "[\"t\",\"" + "0".repeat(32) + "\",\"ls\"]";
    session.restore(object("{\"calls\":[" + good + "]}"));
    String hash = "\"" + "0".repeat(32) + "\"";
    for (String calls :
        List.of(
            "[" + good + "," + good + "]", // too many
            "[[\"t\",null,null]]", // no hash
            "[[\"n\"," + hash + ",null]]", // a hash of what is normalized
            "[[\"t\"," + hash + ",\"a b\"]]",
            "[\"t\"]",
            "5")) {
      JsonObject state = object("{\"calls\":" + calls + "}");
      assertThrows(Loopstone.Refused.class, () -> session.restore(state), calls);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cat a", "head -20 a", " tail\ta "})
  void plainReadsAreOne(String command) {
    assertEquals("bash:file_read:a", CallText.fuzzy("bash", command(command)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"cat a b", "head -n 20 a", "cat a | wc", "ls a", "cat", "cat\u00a0a"})
  void otherCommandsAreNot(String command) {
    assertFalse(CallText.fuzzy("bash", command(command)).startsWith("bash:"));
  }

  @Test
  void numbersOfCallsAreDoubles() {
    assertEquals(CallText.exact("t", object("{\"a\":[1,-0.0]}")), CallText.exact("t", object("{\"a\":[1e0,0]}")));
    assertNotEquals(CallText.exact("t", object("{\"a\":1}")), CallText.exact("t", object("{\"a\":true}")));
    assertNotEquals(CallText.exact("t", object("{\"a\":1}")), CallText.exact("t", object("{\"a\":\"1.0\"}")));
  }

  @Test
  void aToolMayBeCalledLikeAPlaceholder() {
    assertTrue(Nudge.of("{N}", 3).startsWith("[System] You've called {N} with the same arguments 3 times."));
  }

  @Test
  void aRefusedStateChangesNothing() {
    Fingerprint session = new Fingerprint("text", new JsonObject());
    session.observe(new Loopstone.Event(object("{\"type\":\"tool_call\",\"tool\":\"t\",\"args\":{},\"id\":\"1\"}"), 0));
    JsonObject before = session.snapshot().deepCopy();
    JsonObject bad = before.deepCopy();
    bad.addProperty("warned", true);
    assertThrows(Loopstone.Refused.class, () -> session.restore(bad));
    assertEquals(before, session.snapshot());
  }
}
