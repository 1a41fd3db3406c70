import java.util.HashMap;
import java.util.Map;

/** How often each key occurs, and how often the most frequent one does, at a cost that does not grow. */
final class Tally {
  private final Map<String, Integer> counts = new HashMap<>();
  private final Map<Integer, Integer> reached = new HashMap<>(); // n: how many keys occur n times or more
  private int highest;

  void add(String key) {
    int count = counts.merge(key, 1, Integer::sum);
    reached.merge(count, 1, Integer::sum);
    highest = Math.max(highest, count);
  }

  void remove(String key) {
    int count = counts.get(key);
    if (reached.merge(count, -1, Integer::sum) == 0) {
      reached.remove(count); // it was the highest
      highest--;
    }
    if (count == 1) counts.remove(key);
    else counts.put(key, count - 1);
  }

  int highest() {
    return highest;
  }

  int of(String key) {
    return counts.getOrDefault(key, 0);
  }
}
