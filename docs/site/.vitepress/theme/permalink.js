// A trace within an address: #z= is compressed, #t= is not; both are JSON in base64url.
async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

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
  const isLane = (lane) => typeof lane?.detector === "string" && typeof lane.reading === "string";
  const isState = typeof trace === "string" && Array.isArray(lanes) && lanes.every(isLane) && Number.isInteger(run) && run >= 0;
  if (!isState) throw new Error("the address holds no trace with lanes");
  return { trace, lanes, run };
}
