/**
 * A repeatable call whose node has ended, run again by the node that has taken its stream over.
 *
 * It runs again once: the name of the second writer says that it is the second. What the client receives stays one stream: progress goes
 * on where the first run had come to.
 */
import { jsonIn } from "../../../jsonrpc/parse-json.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { StreamName } from "../../../storage/event-log.ts";
import { isJsonObject } from "../../../jsonrpc/message.ts";
import type { MessageStream } from "../exchange/reply.ts";
import type { Nodes } from "./nodes.ts";
import type { WrittenStream } from "../sessions/written-stream.ts";

/** Ends the name of a writer that runs a call again. */
const AGAIN = ".again";
const PAGE = 256;
/** Events in which the progress of the first run is looked for. */
const LOOKED_AT = 900;

export function againAs(writer: string): string {
  return `${writer}${AGAIN}`;
}

/** Whether a writer runs a call for the second time. */
export function isAgain(writer: string): boolean {
  return writer.endsWith(AGAIN);
}

/** The greatest progress on a stream; infinite if its events are not kept any more. @throws StoreUnavailableError */
export async function progressOn({ stores }: Pick<Nodes, "stores">, at: StreamName, last: number): Promise<number> {
  let greatest = -Infinity;
  for (let after = Math.max(0, last - LOOKED_AT); after < last;) {
    const page = await stores.events.read(at, after, PAGE);
    if (typeof page === "string" || page.events.length === 0) return Infinity;
    for (const { data } of page.events) greatest = Math.max(greatest, progressIn(data) ?? -Infinity);
    after = page.events.at(-1)!.number;
  }
  return greatest;
}

function progressIn(data: string): number | undefined {
  const message: unknown = jsonIn(data);
  if (!isJsonObject(message) || message["method"] !== "notifications/progress") return undefined;
  const params = message["params"];
  const progress = isJsonObject(params) ? params["progress"] : undefined;
  return typeof progress === "number" ? progress : undefined;
}

/** The messages of the second run. Progress must grow, so the client receives none that is not beyond the first run's. */
export class RepeatedMessages implements MessageStream {
  readonly #stream: WrittenStream;
  readonly #progress: number;

  constructor(stream: WrittenStream, progress: number) {
    this.#stream = stream;
    this.#progress = progress;
  }

  get crowded(): boolean {
    return this.#stream.crowded;
  }

  whenRead(): MaybePromise<void> {
    return this.#stream.whenRead();
  }

  send(data: string): MaybePromise<void> {
    const progress = progressIn(data);
    return progress !== undefined && progress <= this.#progress ? undefined : this.#stream.send(data);
  }

  end(data?: string): void {
    this.#stream.end(data);
  }

  release(): void {
    this.#stream.release();
  }
}
