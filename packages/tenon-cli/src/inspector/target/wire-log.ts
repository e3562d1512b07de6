/** Writes each message of a connection into the journal: what it is, how large, and how long its response took. */
import { type Incoming, type JSONRPCMessage, MalformedMessage, type Outgoing, type RequestId, LATEST_HANDSHAKE_VERSION } from "tenon";
import { BoundedMap, isJsonObject, stringifyMessage, codecFor } from "tenon/internal";
import type { WireEntry } from "../entries.ts";
import type { Journal } from "../server/journal.ts";
import { withoutSecrets } from "./secrets.ts";
import { McpError, type Deviation } from "tenon/client";

/** Most characters of a message that every tab gets. */
const SHOWN = 64 * 1024;
/** Most requests whose response is awaited here. */
const MAX_PENDING = 4_096;

export interface WireFacts {
  readonly sent: boolean;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The text on the wire, if it is at hand. */
  readonly text?: string;
}

type Describing = Pick<WireEntry, "type" | "method" | "name" | "id" | "ms" | "trace">;

/** W3C Trace Context: version, trace, span, flags. */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/;

export class WireLog {
  readonly #journal: Journal;
  readonly #target: number;
  /** When requests were seen, by direction and id. */
  readonly #pending = new BoundedMap<string, { readonly at: number; readonly method: string; readonly name?: string }>(MAX_PENDING);
  /** The revision that the connection speaks; empty until it is agreed. */
  revision = "";
  /** The name of the client, if it is not the page; empty for the page. Its messages are shown without their secrets. */
  client = "";

  constructor(journal: Journal, target: number) {
    this.#journal = journal;
    this.#target = target;
  }

  /** Adds a message, or each message of a batch. */
  add(message: Incoming | Outgoing, facts: WireFacts): void {
    const { text: _, ...ofBatch } = facts; // the text is the whole batch
    if (Array.isArray(message)) for (const one of message as readonly JSONRPCMessage[]) this.#addOne(one, ofBatch);
    else this.#addOne(message as JSONRPCMessage | MalformedMessage, facts);
  }

  #addOne(whole: JSONRPCMessage | MalformedMessage, { sent, status, headers, text: original }: WireFacts): void {
    const message = this.client === "" || whole instanceof MalformedMessage ? whole : withoutSecrets(whole);
    const isMalformed = message instanceof MalformedMessage;
    const text = original ?? (isMalformed ? JSON.stringify(message.error.toErrorData()) : stringifyMessage(message));
    const about = isMalformed ? ({ type: "malformed", id: message.id } as const) : this.#describe(message, sent);
    const cut = text.length > SHOWN;
    const deviations = isMalformed ? [] : deviationsOf(message, "method" in about ? about.method : undefined, this.revision);
    const entry: WireEntry = {
      kind: "wire",
      target: this.#target,
      sent,
      ...(this.client !== "" && { client: this.client }),
      ...about,
      revision: this.revision,
      ...(deviations.length > 0 && { deviations }),
      bytes: Buffer.byteLength(text),
      ...(status !== undefined && { status }),
      ...(headers && { headers }),
      text: cut ? text.slice(0, SHOWN) : text,
      cut,
    };
    this.#journal.add(entry, undefined, cut ? text : undefined);
  }

  #describe(message: JSONRPCMessage, sent: boolean): Describing {
    if ("method" in message) {
      const { method, params } = message;
      const name = isJsonObject(params) ? (params["name"] ?? params["uri"]) : undefined;
      const named = { method, ...(typeof name === "string" && { name: name.slice(0, 256) }) };
      const traced = traceIn(params);
      if (!("id" in message)) return { type: "notification", ...named, ...traced };
      this.#remember(`${sent} ${message.id}`, named);
      return { type: "request", id: message.id, ...named, ...traced };
    }
    const type = "error" in message ? "error" : "result";
    return { type, id: message.id, ...this.#responseTo(message.id, sent), ...("result" in message && traceIn(message.result)) };
  }

  #remember(key: string, named: { method: string; name?: string }): void {
    this.#pending.set(key, { at: performance.now(), ...named });
  }

  /** The method of the request that this response ends, and how long it took. */
  #responseTo(id: RequestId | null, sent: boolean): Partial<Describing> {
    const key = `${!sent} ${id}`;
    const request = this.#pending.get(key);
    this.#pending.delete(key);
    if (request === undefined) return {};
    const { at, ...named } = request;
    return { ...named, ms: Math.round((performance.now() - at) * 10) / 10 };
  }
}

function traceIn(value: unknown): Pick<WireEntry, "trace"> {
  const meta = isJsonObject(value) ? value["_meta"] : undefined;
  const [, id, span] = TRACEPARENT.exec(isJsonObject(meta) ? String(meta["traceparent"]) : "") ?? [];
  return id === undefined || span === undefined ? {} : { trace: { id, span } };
}

/** Most deviations that are shown of a message. */
const MAX_DEVIATIONS = 20;

/**
 * One sentence for each deviation; empty for a message that conforms, an error, and a method that the revision does not have.
 * @param method of the message, or of the request to which it responds
 * @param revision empty before one is agreed: then the result of the handshake names it
 */
export function deviationsOf(message: JSONRPCMessage, method: string | undefined, revision: string): readonly string[] {
  const result = "result" in message && isJsonObject(message.result) ? message.result : undefined;
  const codec = codecFor(revision === "" ? String(result?.["protocolVersion"]) : revision);
  if (codec === undefined || method === undefined) return [];
  if ("id" in message && "method" in message && isNewerQuestion(codec, method))
    return [`"${method}" is a question that revision ${codec.version} does not have`];
  const found: Deviation[] = [];
  const reading = { strict: false, deviated: (deviation: Deviation): void => void found.push(deviation) };
  try {
    if (result !== undefined) codec.decodeResult(method, result, undefined, reading);
    else if ("method" in message) codec.decodeParams(method, message.params, reading);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const data = McpError.isMcpError(error) ? error.data : undefined;
    return [typeof data === "string" ? `${error.message}: ${data}` : error.message];
  }
  const all = found.map((deviation) => deviation.message);
  return all.length <= MAX_DEVIATIONS ? all : [...all.slice(0, MAX_DEVIATIONS), `… and ${all.length - MAX_DEVIATIONS} more`];
}

/** Whether only later revisions with sessions let a server ask this. */
function isNewerQuestion(codec: NonNullable<ReturnType<typeof codecFor>>, method: string): boolean {
  const isKnown = codec.stateless || codec.hasRequest(method, "server") || codec.hasRequest(method, "client");
  return !isKnown && codecFor(LATEST_HANDSHAKE_VERSION).hasRequest(method, "server");
}
