/**
 * A result that many requests share: it caches its bytes, so that they are made once per revision.
 *
 * It behaves as the plain object that it was made from; a copy or a changed copy is an ordinary result.
 */
import { stringifyExact } from "../jsonrpc/exact-numbers.ts";
import { JsonText, type JsonObject } from "../jsonrpc/message.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import type { Codec } from "../wire/codec.ts";

export class ListPage {
  [member: string]: unknown;
  readonly #encoded = new Map<Codec, JsonText>();

  constructor(result: JsonObject) {
    Object.assign(this, result);
    Object.freeze(this);
  }

  /** The bytes of this result as `codec` encodes it. */
  encoded(codec: Codec, method: string, server: Implementation): JsonText {
    let text = this.#encoded.get(codec);
    if (text === undefined) {
      // oxlint-disable-next-line typescript/no-misused-spread -- the members of the result are all that is wanted
      text = new JsonText(stringifyExact(codec.encodeResult(method, { ...this }, { server, check: true })), true);
      this.#encoded.set(codec, text);
    }
    return text;
  }
}
