// The official client of the second generation. Its types name a package whose TypeScript source does not pass our checks.
import { Client } from "@modelcontextprotocol/client";

const STATELESS = "2026-07-28";

/** A client that speaks one revision. */
export function clientOf(revision) {
  const version =
    revision === STATELESS ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] };
  return new Client({ name: "c", version: "1" }, version);
}
