// A trace within an address: #z= is compressed, #t= is not; both are JSON in base64url.
async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function toHash(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return "#z=" + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// fromHash returns the state, undefined where the address holds none.
export async function fromHash(hash) {
  const [, form, text] = /^#([tz])=([\w-]+)$/.exec(hash) ?? [];
  if (!form) return undefined;
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const plain = form === "z" ? await through(bytes, new DecompressionStream("deflate-raw")) : bytes;
  const state = JSON.parse(new TextDecoder().decode(plain));
  if (typeof state.trace !== "string" || !Array.isArray(state.lanes)) throw new Error("the address holds no trace");
  return state;
}
