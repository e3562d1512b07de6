/** The calls that the user made on the page: each runs until it ends or is cancelled, and its entry says how it goes. */
import type { Client, ToolCallOptions } from "tenon/client";
import { STEPS_KEY, isJsonObject } from "tenon/internal";
import type { JsonObject, ProtocolVersion } from "tenon";
import type { CallEntry, ViewResponse } from "../entries.ts";
import type { Journal } from "../server/journal.ts";
import { OperationError, toFailure } from "./failure.ts";
import type { Inspected } from "./inspected.ts";
import { issuesOf } from "./schema-issues.ts";

/** Most calls that run at the same time. */
const MAX_RUNNING = 64;

export interface CallRequest {
  readonly call: string;
  readonly op: CallEntry["op"];
  readonly name: string;
  readonly params: JsonObject;
  /** Milliseconds for each response; undefined for the default of the connection. */
  readonly timeout?: number;
  /** Whether a tool's call may become a task. */
  readonly task?: boolean;
  /** The revision of a connection that is opened for this call. Default: the open connection. */
  readonly revision?: ProtocolVersion;
}

export class Calls {
  readonly #journal: Journal;
  readonly #running = new Map<string, AbortController>();
  /** Called with each call that has ended, for a recording. */
  onEnd: ((call: CallEntry) => void) | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Starts a call. What becomes of it is in the journal. @throws OperationError */
  start(on: Inspected, request: CallRequest): void {
    const { client } = on;
    const signal = this.#enter(request.call);
    void this.#run(on, client, request, signal).finally(() => this.#running.delete(request.call));
  }

  /** Sends a request of a view. Its messages are on the wire, and it is no call of the user. @throws OperationError */
  async forView(on: Inspected, request: CallRequest): Promise<ViewResponse> {
    const { client } = on;
    const signal = this.#enter(request.call);
    try {
      return { result: await send(client, request, { signal, task: false }) };
    } catch (error) {
      return { failure: toFailure(error) };
    } finally {
      this.#running.delete(request.call);
    }
  }

  /** Makes room for a call. Returns the signal that cancels it. @throws OperationError */
  #enter(call: string): AbortSignal {
    if (this.#running.has(call)) throw new OperationError("A call with this id runs already");
    if (this.#running.size >= MAX_RUNNING) throw new OperationError(`${MAX_RUNNING} calls run already: wait for one, or cancel it`);
    const abort = new AbortController();
    this.#running.set(call, abort);
    return abort.signal;
  }

  /** Cancels a call. Does nothing if it has ended. */
  cancel(call: string): void {
    this.#running.get(call)?.abort(new OperationError("The call was cancelled"));
  }

  async #run(on: Inspected, open: Client, request: CallRequest, signal: AbortSignal): Promise<void> {
    const { call, op, name, params, revision = open.protocolVersion } = request;
    const about = { kind: "call", call, target: on.number, op, name, params, revision, after: this.#journal.last } as const;
    let entry: CallEntry = { ...about, ids: [], state: "running" };
    const tell = (change: Partial<CallEntry>): void => {
      entry = { ...entry, ...change };
      this.#journal.add(entry, `call:${call}`);
    };
    tell({});
    const began = performance.now();
    const ms = (): number => Math.round(performance.now() - began);
    let own: Client | undefined;
    try {
      if (request.revision !== undefined) own = await on.open(request.revision, signal);
      const sent = await send(own ?? open, request, {
        signal,
        ...(op !== "send" && { meta: metaOf() }),
        onId: (id) => tell({ ids: [...entry.ids, id] }),
        ...(request.timeout !== undefined && { timeout: request.timeout, maxTotalTimeout: Math.max(request.timeout, 600_000) }),
        onProgress: (progress) => tell({ progress }),
        ...(op === "call" && { task: request.task !== false, onTask: (task) => tell({ task: { ...task } }) }),
      });
      const result = withoutSteps(sent);
      const issues = op === "call" ? await outputIssues(on, name, result) : undefined;
      tell({ state: "done", result, ms: ms(), ...(issues && { issues }) });
    } catch (error) {
      if (signal.aborted) tell({ state: "cancelled", ms: ms() });
      else tell({ state: "failed", failure: toFailure(error), ms: ms() });
    }
    await own?.close();
    if (own === undefined) this.onEnd?.(entry); // a recording is of one revision
  }
}

/** Sends the request of a call, and resolves with its result as JSON. @throws McpError */
export async function send(
  client: Client,
  { op, name, params }: Pick<CallRequest, "op" | "name" | "params">,
  options: ToolCallOptions,
): Promise<JsonObject> {
  if (op === "call") return Object.fromEntries(Object.entries(await client.callTool(name, params, options)));
  const { task: _task, onTask: _onTask, ...plain } = options;
  if (op === "read") return { ...(await client.readResource(name, plain)) };
  if (op === "prompt") return { ...(await client.getPrompt(name, params as Record<string, string>, plain)) }; // the server checks the values
  if (op === "ping") return { ...(await client.ping(plain)) };
  return client.request(name, params, plain);
}

/** A trace of its own for each call, and the wish to be told the steps of the handler. A message that the user wrote is sent unchanged. */
function metaOf(): JsonObject {
  return { traceparent: `00-${hex(16)}-${hex(8)}-01`, [STEPS_KEY]: true };
}

function hex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}

/** The steps are shown by the messages on the wire. They are no part of the result: their times differ each time. */
function withoutSteps({ _meta: meta, ...result }: JsonObject): JsonObject {
  if (!isJsonObject(meta)) return result;
  const { [STEPS_KEY]: _, ...others } = meta;
  return Object.keys(others).length === 0 ? result : { ...result, _meta: others };
}

async function outputIssues(on: Inspected, tool: string, result: JsonObject): Promise<CallEntry["issues"]> {
  const schema = on.lists.of("tools").find(({ name }) => name === tool)?.["outputSchema"];
  if (!isJsonObject(schema) || result["isError"] === true) return undefined;
  if (result["structuredContent"] === undefined) return [{ path: "", message: "There is no structured content" }];
  return issuesOf(schema, result["structuredContent"]);
}
