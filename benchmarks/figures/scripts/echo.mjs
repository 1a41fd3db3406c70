// A raw echo: what a program for Node can reach that does nothing but read and write lines.
import { createInterface } from "node:readline";

let answers = "";
createInterface({ input: process.stdin }).on("line", (line) => {
  if (answers === "") setImmediate(() => { process.stdout.write(answers); answers = ""; });
  answers += `${line}\n`;
});
