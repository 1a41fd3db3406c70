import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The detector `composed` as an agent takes it. The suite itself judges what it says. */
class LoopDetectorTest {
  private static LoopDetector detector(String rule) {
    return new LoopDetector(JsonParser.parseString("[" + rule + "]"));
  }

  private static Optional<LoopDetector.Verdict> call(LoopDetector detector, String tool) {
    JsonObject args = new JsonObject();
    args.addProperty("x", "1");
    return detector.observe(new LoopDetector.Call(tool, args, null, ""));
  }

  private static long count(Optional<LoopDetector.Verdict> verdict) {
    return verdict.map(LoopDetector.Verdict::count).orElse(0L);
  }

  @Test
  void anAgentIsToldOfALoop() {
    LoopDetector detector = detector("{'same':{'results':'text'},'pattern':{'sort':'streak'}}");
    Optional<LoopDetector.Verdict> spoken = Optional.empty();
    for (int i = 0; i < 3; i++) {
      assertTrue(spoken.isEmpty());
      detector.observe(new LoopDetector.Call("read_file", new JsonObject(), "1", ""));
      spoken = detector.observe(new LoopDetector.Answer("1", true, "x = 1"));
    }
    LoopDetector.Verdict want =
        new LoopDetector.Verdict("streak", 3, "critical", "1", "1", null, List.of(0L, 2L, 4L));
    assertEquals(Optional.of(want), spoken);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "5 | rules/0",
        "{'same':{'by':'cal'}} | rules/0/same/by",
        "{'pattern':{'sort':'cycle','to':1}} | rules/0/pattern/to",
        "{'tools':{'only':['bash?x']}} | rules/0/tools/only",
        "{'fresh':['change']} | rules/0/changes",
        "{'rungs':[{'at':2},{'at':2}]} | rules/0/rungs/1/at"
      })
  void aFaultIsToldWithItsPlace(String rule, String place) {
    String message = assertThrows(LoopDetector.Fault.class, () -> detector(rule)).getMessage();
    assertTrue(message.startsWith(place + ": "), message);
  }

  @ParameterizedTest
  @CsvSource({
    "a*, 'a\nb', true", "a*a, a, false", "*b*c, abcbc, true", "*b*b, ab, false", "t?x=*, t, false", "t?x=1, t, true"
  })
  void namesStandForSetsOfCalls(String name, String tool, boolean has) {
    LoopDetector detector = detector("{'tools':{'only':['" + name + "']},'rungs':[{'at':1}]}");
    assertEquals(has, count(call(detector, tool)) == 1);
  }

  /** What is counted reaches further back than what is kept of it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {"'sort':'run' | a | 151", "'sort':'cycle' | ab | 75"})
  void aLongCountGoesOnAfterARestore(String pattern, String tools, long want) {
    String rule = "{'pattern':{" + pattern + "},'rungs':[{'at':1}]}";
    LoopDetector before = detector(rule);
    for (int i = 0; i < 150; i++) call(before, tools.substring(i % tools.length(), i % tools.length() + 1));
    LoopDetector after = detector(rule);
    assertTrue(after.restore(before.snapshot()));
    for (LoopDetector detector : List.of(before, after)) assertEquals(want, count(call(detector, "a")));
  }

  @Test
  void aRefusedStateChangesNothing() {
    LoopDetector detector = detector("{'pattern':{'sort':'among','last':2},'rungs':[{'speaks':'stays'}]}");
    call(detector, "t");
    JsonObject good = detector.snapshot();
    String rule = good.getAsJsonArray("rules").get(0).toString();
    JsonArray items = good.getAsJsonArray("rules").get(0).getAsJsonObject().getAsJsonObject("items").getAsJsonArray("items");
    String item = items.get(0).toString();
    for (String bad :
        List.of(
            good.toString().replace(rule, ""),
            good.toString().replace(items.toString(), List.of(item, item, item).toString()), // two are the most
            good.toString().replace("\"stays\":null", "\"stays\":[1,3,null]"), // there is no such rung
            good.toString().replace("\"stays\":null", "\"stays\":[0,3,2]"), // nothing else has a period
            good.toString().replace("\"step\":null", "\"step\":[]"), // nor steps
            good.toString().replace("\"judged\":1", "\"judged\":-1"),
            good.toString().replace("\"calls\":1", "\"calls\":0"), // one waits
            "{}",
            "5")) {
      JsonElement state = JsonParser.parseString(bad);
      assertFalse(detector.restore(state), bad);
      assertEquals(good, detector.snapshot(), bad);
    }
    assertTrue(detector.restore(good));
  }
}
