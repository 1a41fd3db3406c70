import java.io.IOException;

/** The ports in one adapter: loopstone test -- java -cp CLASSES:gson.jar All */
final class All {
  private All() {}

  public static void main(String[] args) throws IOException {
    Loopstone.serve("loopstone-java", "1.0", Fingerprint.PORT, History.PORT);
  }
}
