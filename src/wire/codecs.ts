/** The codecs by revision. Each is built when it is first asked for and shared by everybody from then on. */
import { isSupportedVersion, type ProtocolVersion } from "../protocol/versions.ts";
import type { Codec } from "./codec.ts";
import { createCodec as create20241105 } from "./v2024-11-05/codec.ts";
import { createCodec as create20250326 } from "./v2025-03-26/codec.ts";
import { createCodec as create20250618 } from "./v2025-06-18/codec.ts";
import { createCodec as create20251125 } from "./v2025-11-25/codec.ts";
import { createCodec as create20260728 } from "./v2026-07-28/codec.ts";

const factories: Readonly<Record<ProtocolVersion, () => Codec>> = {
  "2024-11-05": create20241105,
  "2025-03-26": create20250326,
  "2025-06-18": create20250618,
  "2025-11-25": create20251125,
  "2026-07-28": create20260728,
};

const built = new Map<ProtocolVersion, Codec>();

/** Undefined for a revision Tenon does not speak. */
export function codecFor(version: ProtocolVersion): Codec;
export function codecFor(version: string): Codec | undefined;
export function codecFor(version: string): Codec | undefined {
  if (!isSupportedVersion(version)) return undefined;
  let codec = built.get(version);
  if (!codec) built.set(version, (codec = factories[version]()));
  return codec;
}
