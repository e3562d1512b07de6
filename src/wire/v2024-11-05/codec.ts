/** How 2024-11-05 behaves on the wire: the stateful codec with the shapes of this revision. */
import type { Codec } from "../codec.ts";
import { StatefulCodec } from "../stateful-codec.ts";
import { revision } from "./shapes.ts";

export function createCodec(): Codec {
  return new StatefulCodec(revision);
}
