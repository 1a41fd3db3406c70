import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.regex.Pattern;

/** The command of a call, and its words, as both detectors see them. */
final class Command {
  private static final Pattern BLANKS = Pattern.compile("[\\t-\\r ]+"); // FP-12, HI-21

  private Command() {}

  /** The command, where it is a text; else null. */
  static String of(JsonObject args) {
    JsonElement command = args.get("command");
    return Loopstone.isText(command) ? command.getAsString() : null;
  }

  static List<String> words(String command) {
    return BLANKS.splitAsStream(command).filter(word -> !word.isEmpty()).toList();
  }

  /** The first word; null where there is none. */
  static String firstWord(JsonObject args) {
    String command = of(args);
    List<String> words = command == null ? List.of() : words(command);
    return words.isEmpty() ? null : words.get(0);
  }

  static boolean isWord(String text) {
    return !text.isEmpty() && !BLANKS.matcher(text).find();
  }
}
