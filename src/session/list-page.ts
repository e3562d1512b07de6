/**
 * A result that many requests are answered with: it remembers its bytes, so that they are made once a revision.
 *
 * Behaves as the plain object it was made from; whoever copies or changes it gets an ordinary result.
 */
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

  /** The bytes of this result as `codec` writes it. */
  encoded(codec: Codec, method: string, server: Implementation): JsonText {
    let text = this.#encoded.get(codec);
    if (text === undefined) {
      // oxlint-disable-next-line typescript/no-misused-spread -- the members of the result are all that is wanted
      text = new JsonText(JSON.stringify(codec.encodeResult(method, { ...this }, { server, check: true })), true);
      this.#encoded.set(codec, text);
    }
    return text;
  }
}
