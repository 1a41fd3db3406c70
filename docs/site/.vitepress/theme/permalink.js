// A trace within an address: #z= is compressed, #t= is not; both are JSON in base64url.
async function through(bytes, stream) {
  const parts = [];
  let size = 0;
  for (const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(); ; ) {
    const { value, done } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    if ((size += value.length) > mostUnpacked) {
      await reader.cancel();
      throw new Error("the address holds too much");
    }
  }
}

const mostUnpacked = 32 << 20; // bytes; an address of 30,000 characters can hold no more
const deepest = 20; // levels of a configuration

const isShallow = (value, levels = deepest) =>
  typeof value !== "object" || value === null || (levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1)));

export async function toHash(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return "#z=" + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// fromHash returns the state {trace, lanes, run}, undefined where the address holds none. It throws where the state
// cannot be read.
export async function fromHash(hash) {
  const [, form, text] = /^#([tz])=(.*)$/s.exec(hash) ?? [];
  if (!form) return undefined;
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const plain = form === "z" ? await through(bytes, new DecompressionStream("deflate-raw")) : bytes;
  const { trace, lanes, run = 0 } = JSON.parse(new TextDecoder().decode(plain));
  const isLane = (lane) => typeof lane?.detector === "string" && typeof lane.reading === "string" && isShallow(lane);
  const isState = typeof trace === "string" && Array.isArray(lanes) && lanes.every(isLane) && Number.isInteger(run) && run >= 0;
  if (!isState) throw new Error("the address holds no trace with lanes");
  return { trace, lanes, run };
}
