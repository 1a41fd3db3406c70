import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;

/** When calls are the same: texts that are equal for equal calls, and for no others. */
final class CallText {
  private static final List<String> PRIMARY =
      List.of(
          "path", "file_path", "command", "pattern", "query", "url", "content", "filename", "offset", "limit"); // FP-8

  private CallText() {}

  /** FP-6, FP-7: members sorted, numbers as doubles. */
  static String exact(String tool, JsonObject args) {
    StringBuilder text = new StringBuilder(new JsonPrimitive(tool).toString());
    write(text, args);
    return text.toString();
  }

  private static void write(StringBuilder text, JsonElement value) {
    if (value instanceof JsonObject object) {
      text.append('{');
      for (String name : object.keySet().stream().sorted().toList()) {
        text.append(new JsonPrimitive(name)).append(':');
        write(text, object.get(name));
        text.append(',');
      }
      text.append('}');
    } else if (value instanceof JsonArray array) {
      text.append('[');
      for (JsonElement item : array) {
        write(text, item);
        text.append(',');
      }
      text.append(']');
    } else if (Loopstone.isNumber(value)) {
      text.append(Double.parseDouble(value.getAsString()) + 0.0); // -0.0 + 0.0 is 0.0
    } else {
      text.append(value);
    }
  }

  /** The fingerprint. */
  static String fuzzy(String tool, JsonObject args) {
    String command = tool.equals("bash") ? Command.of(args) : null; // FP-14
    if (command != null && command.chars().anyMatch(c -> "|><;&\n".indexOf(c) >= 0)) return exact(tool, args); // FP-13
    String path = command == null ? null : fileRead(command);
    if (path != null) return "bash:file_read:" + path; // FP-11
    JsonObject primary = new JsonObject();
    for (String name : PRIMARY) {
      if (args.has(name)) primary.add(name, args.get(name)); // FP-9
    }
    return exact(tool, primary.size() > 0 ? primary : args); // FP-10; it begins with a quote (FP-15)
  }

  /** The path, where the command only reads one file (FP-12); else null. */
  private static String fileRead(String command) {
    List<String> words = Command.words(command);
    if (words.isEmpty() || !List.of("cat", "head", "tail").contains(words.get(0))) return null;
    List<String> paths = words.stream().skip(1).filter(word -> !word.startsWith("-")).toList();
    return paths.size() == 1 ? paths.get(0) : null;
  }
}
