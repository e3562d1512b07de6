/** The streams of a session that lasts for one POST: nothing is kept, and there is no GET. */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { OpenedStream } from "../exchange/reply.ts";
import type { HttpResponse } from "../http-message.ts";
import { sessionNotFound } from "../refusals.ts";
import type { Streams, StreamsOwner } from "./streams.ts";

export class SinglePostStreams implements Streams {
  readonly #owner: StreamsOwner;

  constructor(owner: StreamsOwner) {
    this.#owner = owner;
  }

  get address(): string | undefined {
    return this.#owner.address;
  }

  openPost(): OpenedStream {
    const body = this.#owner.openBody();
    return { messages: body, body };
  }

  sendUnrelated(): undefined {
    return undefined;
  }

  get(): MaybePromise<HttpResponse> {
    return sessionNotFound();
  }

  releaseUnrelated(): void {}

  end(): void {}
}
