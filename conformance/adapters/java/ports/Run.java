import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The length of a run, and the indices of its latest events, without those from before a restore. */
final class Run {
  private static final int NAMED = 100; // FP-42

  private final Deque<Long> indices = new ArrayDeque<>();
  private long length;

  Run() {}

  Run(long length) {
    this.length = length;
  }

  void lengthen(long index) {
    length++;
    indices.addLast(index);
    if (indices.size() > NAMED) indices.removeFirst();
  }

  long length() {
    return length;
  }

  List<Long> indices() {
    return List.copyOf(indices);
  }

  /** The last of the indices, so many at most. */
  List<Long> last(long count) {
    List<Long> all = new ArrayList<>(indices);
    return all.subList((int) Math.max(0, all.size() - count), all.size());
  }
}
