// An adapter whose detector does nothing: what is left is the kit and the pipe. LOOPSTONE_KIT names the kit.
const { serve } = await import(process.env.LOOPSTONE_KIT);

class Nothing {
  static detector = "history";
  static readings = ["code"];
  static features = [];
  reset() {}
  observe() {
    return { loop: false };
  }
}

await serve("nothing", "1.0", Nothing);
