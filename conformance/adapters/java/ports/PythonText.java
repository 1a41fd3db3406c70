import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/** The text that Python's json.dumps(value, sort_keys=True) gives. */
final class PythonText {
  private final StringBuilder text = new StringBuilder();

  private PythonText() {}

  static String of(JsonElement value) {
    PythonText python = new PythonText();
    python.write(value);
    return python.text.toString();
  }

  private void write(JsonElement value) {
    if (value instanceof JsonObject object) writeObject(object);
    else if (value instanceof JsonArray array) writeArray(array);
    else if (Loopstone.isText(value)) writeString(value.getAsString());
    else if (Loopstone.isNumber(value)) text.append(number(value.getAsString()));
    else text.append(value); // null, true and false
  }

  private void writeObject(JsonObject object) { // HI-7
    text.append('{');
    String comma = "";
    for (String name : object.keySet().stream().sorted(BY_CODE_POINTS).toList()) {
      text.append(comma);
      writeString(name);
      text.append(": ");
      write(object.get(name));
      comma = ", ";
    }
    text.append('}');
  }

  private void writeArray(JsonArray array) {
    text.append('[');
    String comma = "";
    for (JsonElement item : array) {
      text.append(comma);
      write(item);
      comma = ", ";
    }
    text.append(']');
  }

  /** Java's own order is that of UTF-16, in which the surrogates come before U+E000. */
  static final Comparator<String> BY_CODE_POINTS =
      (a, b) -> {
        int i = 0;
        while (i < a.length() && i < b.length() && a.charAt(i) == b.charAt(i)) i++;
        if (i == a.length() || i == b.length()) return a.length() - b.length();
        boolean x = Character.isSurrogate(a.charAt(i));
        boolean y = Character.isSurrogate(b.charAt(i));
        return x == y ? a.charAt(i) - b.charAt(i) : x ? 1 : -1;
      };

  private void writeString(String string) { // HI-8
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      int named = "\"\\\b\t\n\f\r".indexOf(c);
      if (named >= 0) text.append('\\').append("\"\\btnfr".charAt(named));
      else if (c >= ' ' && c <= '~') text.append(c);
      else text.append("\\u").append(HexFormat.of().toHexDigits(c));
    }
    text.append('"');
  }

  /** HI-9, given the number as it is written. */
  static String number(String spelling) {
    if (spelling.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E')) {
      return spelling.equals("-0") ? "0" : spelling;
    }
    double value = Double.parseDouble(spelling);
    if (value == 0 || Double.isInfinite(value)) return Double.toString(value); // 0.0, -0.0, Infinity, -Infinity
    BigDecimal shortest = shortest(Math.abs(value)).stripTrailingZeros();
    String digits = shortest.unscaledValue().toString();
    int exponent = digits.length() - 1 - shortest.scale(); // of the first digit
    return (value < 0 ? "-" : "") + (exponent < -4 || exponent > 15 ? scientific(digits, exponent) : plain(shortest));
  }

  private static String scientific(String digits, int exponent) {
    String point = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
    String sign = exponent < 0 ? "e-" : "e+";
    return point + sign + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
  }

  private static String plain(BigDecimal number) {
    String digits = number.toPlainString();
    return digits.contains(".") ? digits : digits + ".0";
  }

  /** The decimal of the fewest digits that reads back as the double; Java writes too many before version 19. */
  private static BigDecimal shortest(double value) {
    BigDecimal exact = new BigDecimal(value);
    for (int digits = 1; digits < 17; digits++) {
      BigDecimal best = null; // the nearest may not read back where another does: powers of two
      for (RoundingMode mode : List.of(RoundingMode.DOWN, RoundingMode.UP)) {
        BigDecimal rounded = exact.round(new MathContext(digits, mode));
        if (rounded.doubleValue() == value && (best == null || nearer(rounded, best, exact))) best = rounded;
      }
      if (best != null) return best;
    }
    return exact.round(new MathContext(17, RoundingMode.HALF_EVEN));
  }

  private static boolean nearer(BigDecimal a, BigDecimal b, BigDecimal exact) {
    return a.subtract(exact).abs().compareTo(b.subtract(exact).abs()) < 0;
  }
}
