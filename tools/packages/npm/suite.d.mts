/** Defines the tests of the port whose loopstone.yaml is in the folder, by default the current one, or in one above. */
export function suite(runner: {
  describe: (name: string, options: object, body: () => void) => unknown;
  test: (name: string, options: object, body: (context: any) => Promise<void>) => unknown;
  folder?: string | URL;
}): void;
