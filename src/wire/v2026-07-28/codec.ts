/** How 2026-07-28 behaves on the wire: the stateless codec with the shapes of this revision. */
import type { Codec } from "../codec.ts";
import { StatelessCodec } from "../stateless-codec.ts";
import { revision } from "./shapes.ts";

export function createCodec(): Codec {
  return new StatelessCodec(revision);
}
