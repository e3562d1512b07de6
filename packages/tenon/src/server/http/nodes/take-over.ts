/**
 * Takes over the stream of a POST whose node has ended: this node runs a repeatable call again, and ends every other one with an error.
 * Another node may do so first.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { nodeOfWriter } from "../../../cluster/node.ts";
import type { JSONRPCRequest } from "../../../jsonrpc/message.ts";
import type { EventPage, StreamName } from "../../../storage/event-log.ts";
import type { SessionRequests } from "../sessions/shared-session.ts";
import type { SessionStreams } from "../sessions/session-streams.ts";
import type { Resumption } from "../sessions/streams.ts";
import { isFinal, lostCallText, noteIn } from "./lost-call.ts";
import type { Nodes } from "./nodes.ts";
import { againAs, isAgain, progressOn, RepeatedMessages } from "./repeated-call.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** Events of one read. */
const PAGE = 256;

export interface TakeOverOptions {
  readonly nodes: Nodes;
  readonly at: StreamName;
  /** Milliseconds for which the stream is kept after a write. */
  readonly life: number;
  readonly streams: SessionStreams;
  readonly requests: SessionRequests;
}

export class TakeOver {
  readonly #options: TakeOverOptions;

  constructor(options: TakeOverOptions) {
    this.#options = options;
  }

  /** Returns whether the stream has a new writer. @param page the last events that were read @throws StoreUnavailableError */
  async try({ writer, note: text }: EventPage, resumption: Resumption): Promise<boolean> {
    const { nodes, at, life } = this.#options;
    const { node, stores } = nodes;
    if (writer === undefined || !node.mayTakeOver || (await this.#isWritten(writer))) return false;
    if (!node.mayTakeOver) return false; // the store was away meanwhile: leases have ended that no node could renew
    const note = noteIn(text);
    const call = isAgain(writer) ? undefined : note.call;
    const own = call === undefined ? node.nextWriter() : againAs(node.nextWriter());
    if (!(await stores.events.adopt(at, writer, own))) return true;
    const page = await retryWhileUnavailable(nodes, () => stores.events.read(at, Math.max(resumption.at - 1, 0), PAGE));
    if (typeof page === "string") return true;
    const last = page.events.at(-1);
    const isOver = last !== undefined && isFinal(last.data);
    if (!isOver && call !== undefined && (await this.#repeat(call, { writer: own, last: page.last }, resumption))) return true;
    const data = isOver ? [] : [lostCallText(note)];
    await retryWhileUnavailable(nodes, () => stores.events.append(at, { writer: own, first: page.last + 1, data, ends: true, ms: life }));
    return true;
  }

  /** Runs the call again, for the client that has come back. False if this node cannot. */
  async #repeat(call: JSONRPCRequest, from: { readonly writer: string; readonly last: number }, resumption: Resumption): Promise<boolean> {
    const { nodes, at, streams, requests } = this.#options;
    const { serving } = nodes;
    const progress = await retryWhileUnavailable(nodes, () => progressOn(nodes, at, from.last));
    if (serving.draining || serving.running >= serving.limits.maxRunning) return false;
    const written = streams.write([call.id], { retry: undefined, adopted: { name: at.stream, ...from } });
    const stream = { messages: new RepeatedMessages(written, progress), body: resumption.body };
    requests.repeat({ incoming: call, mode: "sse", request: resumption.request, stream });
    return true;
  }

  #isWritten(writer: string): MaybePromise<boolean> {
    const { nodes, streams, at } = this.#options;
    const number = nodeOfWriter(writer);
    if (number === nodes.node.number) return streams.writes(at.stream);
    return retryWhileUnavailable(nodes, () => nodes.node.isAlive(number));
  }
}
