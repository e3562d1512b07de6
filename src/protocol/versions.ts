/** The revisions of the protocol, oldest first, and the two families they form. */

/** Revisions opened by an `initialize` handshake. */
export const STATEFUL_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
/** Revisions in which each request stands alone. */
export const STATELESS_VERSIONS = ["2026-07-28"] as const;

/** A revision opened by an `initialize` handshake. */
export type StatefulVersion = (typeof STATEFUL_VERSIONS)[number];
/** A revision in which each request stands alone. */
export type StatelessVersion = (typeof STATELESS_VERSIONS)[number];
/** A revision of the protocol that Tenon speaks, by its date. */
export type ProtocolVersion = StatefulVersion | StatelessVersion;

/** Every revision Tenon speaks, newest first: the order in which versions are offered. */
export const SUPPORTED_PROTOCOL_VERSIONS: readonly ProtocolVersion[] = [...STATELESS_VERSIONS, ...[...STATEFUL_VERSIONS].reverse()];
/** The newest revision an `initialize` may offer or accept (checklist CF-19). */
export const LATEST_HANDSHAKE_VERSION: StatefulVersion = "2025-11-25";
/** The newest revision. */
export const LATEST_PROTOCOL_VERSION: ProtocolVersion = "2026-07-28";

/** The revision an HTTP request is written in if it has no `MCP-Protocol-Version` header. */
export const ASSUMED_HTTP_VERSION: StatefulVersion = "2025-03-26";
/** The last revision whose servers do not name their authorization server. */
export const LAST_VERSION_WITHOUT_RESOURCE_METADATA: StatefulVersion = "2025-03-26";

/** Whether Tenon speaks that revision. */
export function isSupportedVersion(version: string): version is ProtocolVersion {
  return (SUPPORTED_PROTOCOL_VERSIONS as readonly string[]).includes(version);
}

/** Whether that is a revision opened by a handshake. */
export function isStatefulVersion(version: string): version is StatefulVersion {
  return (STATEFUL_VERSIONS as readonly string[]).includes(version);
}

/** Whether that is a revision in which each request stands alone. */
export function isStatelessVersion(version: string): version is StatelessVersion {
  return (STATELESS_VERSIONS as readonly string[]).includes(version);
}
