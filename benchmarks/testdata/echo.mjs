// A JSON-lines echo: what a program for Node can reach that reads every line as JSON, writes it again, and that is all.
import { createInterface } from "node:readline";

let answers = "";
createInterface({ input: process.stdin }).on("line", (line) => {
  if (answers === "") setImmediate(() => { process.stdout.write(answers); answers = ""; });
  answers += `${JSON.stringify(JSON.parse(line))}\n`;
});
