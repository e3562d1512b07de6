// Order = order in the tables. A new peer is one file next to this one and one line here.
export const PEERS = ['raw', 'probe', 'tenon', 'tenon-runtime-fetch', 'official-v2', 'official-v2-hono', 'official-v1', 'fastmcp', 'tmcp', 'mcp-lite'];
export const RAW = 'raw';
export const BASE = 'official-v2';

const cache = new Map();
/** Makes a peer known that has no file here: an SDK of another language (`languages/peers.mjs`). */
export function addPeer(peer) {
  cache.set(peer.id, peer);
}
export async function loadPeer(id) {
  if (!cache.has(id)) cache.set(id, (await import(`./${id}.mjs`)).default);
  return cache.get(id);
}
