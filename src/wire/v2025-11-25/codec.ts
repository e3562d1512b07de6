/** How 2025-11-25 behaves on the wire: the stateful codec with the shapes of this revision. */
import { ErrorCode } from "../../jsonrpc/mcp-error.ts";
import type { Codec } from "../codec.ts";
import { StatefulCodec } from "../stateful-codec.ts";
import { revision } from "./shapes.ts";

export function createCodec(): Codec {
  return new StatefulCodec(revision, {
    invalidToolInput: "result",
    ownCodes: [ErrorCode.UrlElicitationRequired],
  });
}
