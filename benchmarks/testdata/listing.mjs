// Times the listing of D2: node listing.mjs signature LISTING EVENTS NUMBER
//
// Prints how many nanoseconds each of that number of events took, after a quarter more to warm up. The listing is TypeScript; its types are taken away, nothing else.
import { readFileSync } from "node:fs";

const [, , , listing, eventsFile, number] = process.argv;
const code = readFileSync(listing, "utf8").replace(/: (string|number|boolean)(\[\])?(?=[,)\s=])/g, "");
// The signature that detectLoop takes from an output is kept to be stored: taking it again would double the cost.
const keep = "const take = extractSignature; let last; extractSignature = (output) => (last = take(output));";
const { detectLoop, lastSignature } = new Function(`${code}; ${keep} return { detectLoop, lastSignature: () => last };`)();
const outputs = readFileSync(eventsFile, "utf8").trim().split("\n").map((line) => JSON.parse(line).text);

const chunk = 200;
let signatures = [];

// One event: the check, and then the window of the last five signatures, as the document tells it.
function observe(output) {
  detectLoop(output, signatures);
  signatures.push(lastSignature());
  signatures = signatures.slice(-5);
}

let at = 0;
let spent = 0;
let done = -Math.floor(number / 4);
while (done < number) {
  const part = outputs.slice(at, at + chunk);
  at = (at + chunk) % outputs.length;
  const start = process.hrtime.bigint();
  for (const output of part) observe(output);
  if (done >= 0) spent += Number(process.hrtime.bigint() - start);
  done = done < 0 ? Math.min(done + part.length, 0) : done + part.length;
}
console.log(spent / done);
