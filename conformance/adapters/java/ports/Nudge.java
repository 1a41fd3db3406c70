/** The texts of the detector `fingerprint`; {tool} and {N} are put in. */
final class Nudge {
  private static final String NOTICE =
      """
      [System] You've called {tool} with the same arguments {N} times.
      This indicates a stuck state. Either:
      1. Try a DIFFERENT approach or tool
      2. If blocked, explain what's preventing progress
      3. If the task is complete, say so explicitly""";

  private static final String WARNING =
      """
      [System] WARNING: You've called {tool} {N} times with identical arguments.
      This is a stuck state.
      1. Try a DIFFERENT approach or tool
      2. If blocked, explain the blocker""";

  private static final String CRITICAL =
      """
      [System] CRITICAL: You've called {tool} with the same arguments {N} times.
      You are in a doom loop. You MUST:
      1. STOP calling {tool} immediately
      2. Explain what you're stuck on
      3. Try a completely different approach
      Further identical calls will be rejected.""";

  static final String TESTS_FAIL =
      """
      [System] You've had {N} consecutive test failures. Step back and rethink:
      1. Re-read the error messages carefully
      2. Consider whether your approach is fundamentally wrong
      3. Try a DIFFERENT fix strategy instead of iterating on the same one""";

  static final String BASH_FAILS = "[System] The last {N} shell commands failed. Find out why before you run more.";
  static final String USE_FILE_TOOLS = " Files are the business of read_file, edit_file and write_file.";
  static final String TALK = "[System] That makes {N} messages without any action. Use a tool, or finish the task.";

  private Nudge() {}

  /** FP-24 */
  static String severity(long count) {
    return count < 4 ? "notice" : count < 6 ? "warning" : "critical";
  }

  /** FP-25 to FP-27. The count is put in first: the tool may be called {N}. */
  static String of(String tool, long count) {
    String text = count < 4 ? NOTICE : count < 6 ? WARNING : CRITICAL;
    return withCount(text, count).replace("{tool}", tool);
  }

  static String withCount(String text, long count) {
    return text.replace("{N}", Long.toString(count));
  }
}
