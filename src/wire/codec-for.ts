/**
 * The codecs by revision. Each is built when it is first asked for and shared by everybody from then on. They have the
 * shapes every session needs; await {@link Codec.prepare} before any other message.
 */
import { isSupportedVersion, type ProtocolVersion } from "../protocol/versions.ts";
import type { Codec } from "./codec.ts";
import { RevisionCodec } from "./revision-codec.ts";

const built = new Map<ProtocolVersion, Codec>();

/** Undefined for a revision Tenon does not speak. */
export function codecFor(version: ProtocolVersion): Codec;
export function codecFor(version: string): Codec | undefined;
export function codecFor(version: string): Codec | undefined {
  if (!isSupportedVersion(version)) return undefined;
  let codec = built.get(version);
  if (!codec) built.set(version, (codec = new RevisionCodec(version)));
  return codec;
}
