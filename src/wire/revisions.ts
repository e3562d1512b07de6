/** Every revision and its codec. A codec is built when it is first asked for; all connections share it. */
import { isSupportedVersion, type ProtocolVersion } from "../protocol/versions.ts";
import type { Codec } from "./codec.ts";
import type { Revision } from "./revision.ts";
import { RevisionCodec } from "./revision-codec.ts";
import { v20241105 } from "./v2024-11-05.ts";
import { v20250326 } from "./v2025-03-26.ts";
import { v20250618 } from "./v2025-06-18.ts";
import { v20251125 } from "./v2025-11-25.ts";
import { v20260728 } from "./v2026-07-28.ts";

export const REVISIONS: Readonly<Record<ProtocolVersion, Revision>> = {
  "2024-11-05": v20241105,
  "2025-03-26": v20250326,
  "2025-06-18": v20250618,
  "2025-11-25": v20251125,
  "2026-07-28": v20260728,
};

const codecs = new Map<ProtocolVersion, Codec>();

/** Returns undefined for a revision Tenon does not speak. */
export function codecFor(version: ProtocolVersion): Codec;
export function codecFor(version: string): Codec | undefined;
export function codecFor(version: string): Codec | undefined {
  if (!isSupportedVersion(version)) return undefined;
  let codec = codecs.get(version);
  if (!codec) codecs.set(version, (codec = new RevisionCodec(REVISIONS[version], WIDEST)));
  return codec;
}

/** What any revision has, the last stateful one or the newest has. */
const WIDEST: readonly Revision[] = [v20251125, v20260728];
