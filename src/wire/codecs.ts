/**
 * The codecs for those who do not want to wait: once one of them was asked for, all codecs have every shape, those that
 * are in use as well.
 */
import type { ProtocolVersion } from "../protocol/versions.ts";
import { codecFor as earlyCodecFor } from "./codec-for.ts";
import type { Codec } from "./codec.ts";
import { adopt } from "./vocabulary.ts";
import { whole } from "./whole.ts";

/** No codec has anything left to load. */
export function completeCodecs(): void {
  adopt(whole);
}

/** Undefined for a revision Tenon does not speak. */
export function codecFor(version: ProtocolVersion): Codec;
export function codecFor(version: string): Codec | undefined;
export function codecFor(version: string): Codec | undefined {
  completeCodecs();
  return earlyCodecFor(version);
}
