/** The revisions of the protocol, oldest first, and the two families they form. */

/** Revisions that begin with an `initialize` handshake. */
export const STATEFUL_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
/** Revisions in which each request is complete in itself. */
export const STATELESS_VERSIONS = ["2026-07-28"] as const;

/** A revision that begins with an `initialize` handshake. */
export type StatefulVersion = (typeof STATEFUL_VERSIONS)[number];
/** A revision in which each request is complete in itself. */
export type StatelessVersion = (typeof STATELESS_VERSIONS)[number];
/** A revision of the protocol that Tenon supports, by its date. */
export type ProtocolVersion = StatefulVersion | StatelessVersion;

/** Every revision that Tenon supports, newest first: the order in which versions are offered. */
export const SUPPORTED_PROTOCOL_VERSIONS: readonly ProtocolVersion[] = [...STATELESS_VERSIONS, ...[...STATEFUL_VERSIONS].reverse()];
/** The newest revision that an `initialize` may offer or accept. */
export const LATEST_HANDSHAKE_VERSION: StatefulVersion = "2025-11-25";
/** The newest revision. */
export const LATEST_PROTOCOL_VERSION: ProtocolVersion = "2026-07-28";

/** The revision of an HTTP request without an `MCP-Protocol-Version` header. */
export const ASSUMED_HTTP_VERSION: StatefulVersion = "2025-03-26";
/** The last revision whose servers do not name their authorization server. */
export const LAST_VERSION_WITHOUT_RESOURCE_METADATA: StatefulVersion = "2025-03-26";

export function isSupportedVersion(version: string): version is ProtocolVersion {
  return (SUPPORTED_PROTOCOL_VERSIONS as readonly string[]).includes(version);
}

/** Whether that is a revision with a handshake. */
export function isStatefulVersion(version: string): version is StatefulVersion {
  return (STATEFUL_VERSIONS as readonly string[]).includes(version);
}

/** The first revision that peers spoke: no older text is one. */
const FIRST_VERSION = "2024-10-07";

/**
 * The revision to speak with a peer that names one which Tenon does not know, and which is older than the newest: the newest before it, or the
 * oldest. Undefined for any other text.
 */
export function nearestStatefulVersion(named: string): StatefulVersion | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(named) || named < FIRST_VERSION || named > LATEST_HANDSHAKE_VERSION) return undefined;
  return STATEFUL_VERSIONS.findLast((known) => known <= named) ?? STATEFUL_VERSIONS[0];
}

/** Whether that is a revision in which each request is complete in itself. */
export function isStatelessVersion(version: string): version is StatelessVersion {
  return (STATELESS_VERSIONS as readonly string[]).includes(version);
}
