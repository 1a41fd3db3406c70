import com.google.gson.JsonObject;
import java.util.List;
import java.util.Optional;

/** The detector `composed` as a port; LoopDetector.java is the file for one's own agent. */
final class Composed implements Loopstone.Detector {
  static final Loopstone.Port PORT =
      new Loopstone.Port("composed", List.of("code"), List.of("snapshot", "evidence", "replies"), Composed::new);

  private final LoopDetector detector;

  Composed(String reading, JsonObject config) {
    for (String field : config.keySet()) {
      if (!field.equals("rules")) throw Loopstone.Refused.config(field);
    }
    try {
      detector = new LoopDetector(config.get("rules"));
    } catch (LoopDetector.Fault fault) {
      throw Loopstone.Refused.config("rules"); // CO-4
    }
  }

  @Override
  public void reset() {
    detector.reset();
  }

  /** What the event is to the detector. */
  private static LoopDetector.Event told(Loopstone.Event event) {
    String call = event.text("call");
    return switch (event.type()) {
      case "tool_call" -> {
        String thought = event.has("thought") ? event.text("thought") : "";
        yield new LoopDetector.Call(event.text("tool"), event.args(), event.text("id"), thought);
      }
      case "tool_result" -> new LoopDetector.Answer(call, event.flag("ok"), event.text("content"));
      case "error" -> new LoopDetector.Answer(call, false, event.text("message"));
      case "message" -> new LoopDetector.Message(event.text("role"), event.text("content"));
      case "delta" -> {
        boolean answer = !event.has("channel") || event.text("channel").equals("answer");
        yield answer ? new LoopDetector.Piece(event.text("text")) : new LoopDetector.Other();
      }
      case "reply" -> new LoopDetector.Reply();
      default -> new LoopDetector.Other();
    };
  }

  @Override
  public Loopstone.Verdict observe(Loopstone.Event event) {
    Optional<LoopDetector.Verdict> spoken =
        event.has("at")
            ? detector.observe(told(event), event.members().get("at").getAsDouble())
            : detector.observe(told(event));
    if (spoken.isEmpty()) return Loopstone.Verdict.none();
    LoopDetector.Verdict loop = spoken.get();
    Loopstone.Verdict verdict =
        Loopstone.Verdict.loop(loop.kind())
            .with("count", loop.count())
            .with("severity", loop.severity())
            .with("rule", loop.rule())
            .with("rung", loop.rung());
    return (loop.period() == null ? verdict : verdict.with("period", loop.period())).evidence(loop.evidence());
  }

  @Override
  public JsonObject snapshot() {
    return detector.snapshot();
  }

  @Override
  public void restore(JsonObject state) {
    if (!detector.restore(state)) throw Loopstone.Refused.state();
  }
}
