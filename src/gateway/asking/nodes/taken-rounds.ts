/** Rounds of calls that this node holds, as other nodes pass them on: what the calls say is sent back there. */
import { ErrorCode, isErrorData, McpError, toErrorData, type ErrorData } from "../../../jsonrpc/mcp-error.ts";
import type { Progress } from "../../../dispatch/dispatcher.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { ClientCapabilities } from "../../../protocol/capabilities.ts";
import type { InputResponses } from "../../../protocol/input-required.ts";
import type { NodeCalls } from "../../../server/http/nodes/node-calls.ts";
import type { ClientRound } from "../client-round.ts";
import type { SuspendedCall } from "../suspended-call.ts";

/** What taking needs. */
export interface TakingServices {
  readonly calls: Pick<NodeCalls, "ask" | "tell">;
  /** The suspended call with that id, if it is held here. */
  readonly find: (call: string) => SuspendedCall | undefined;
  readonly report: (error: unknown) => void;
}

/** How a round has ended. */
type Ending = { readonly result: JsonObject } | { readonly error: ErrorData };

export class TakenRounds {
  readonly #services: TakingServices;
  readonly #taken = new Map<string, TakenRound>();
  readonly #running = new Set<Promise<void>>();

  constructor(services: TakingServices) {
    this.#services = services;
  }

  /** Takes a round, once. Returns whether its call is held here. */
  take({ exchange, from, call, round, capabilities, inputResponses }: JsonObject): boolean {
    const id = exchange as string; // a node wrote it, as all of this
    if (this.#taken.has(id)) return true;
    const held = this.#services.find(call as string);
    if (held === undefined) return false;
    const client = { capabilities: capabilities as ClientCapabilities, inputResponses: inputResponses as InputResponses };
    const taken = new TakenRound(client, (body) => this.#tell(from as number, { exchange: id, ...body }));
    this.#taken.set(id, taken);
    const running = this.#run(taken, held.continue(taken, round as number), { exchange: id, from: from as number });
    this.#running.add(running);
    void running.finally(() => {
      this.#running.delete(running);
      this.#taken.delete(id);
    });
    return true;
  }

  /** The client of a round has given it up. */
  cancelled({ exchange }: JsonObject): boolean {
    const taken = this.#taken.get(exchange as string);
    taken?.cancel();
    return taken !== undefined;
  }

  /** Resolves when what has ended was sent. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #run(taken: TakenRound, outcome: Promise<JsonObject>, { exchange, from }: { exchange: string; from: number }): Promise<void> {
    const { calls, report } = this.#services;
    const ending: Ending = await outcome.then(
      (result) => ({ result }),
      (error: unknown) => ({ error: this.#errorOf(error) }),
    );
    if (taken.signal.aborted) return;
    await taken.sent;
    const send = (body: Ending): Promise<boolean> => calls.ask(from, "roundEnded", { exchange, ...body });
    await send(ending)
      // A result can be too long for the stores.
      .catch((error: unknown) => send({ error: this.#errorOf(error) }))
      .catch(report); // the other node passes the round on again
  }

  #errorOf(error: unknown): ErrorData {
    if (McpError.isMcpError(error) && isErrorData(error)) return toErrorData(error);
    this.#services.report(error);
    return { code: ErrorCode.InternalError, message: "Internal error" };
  }

  async #tell(node: number, body: JsonObject): Promise<void> {
    await this.#services.calls.tell(node, "roundTold", body).catch(this.#services.report);
  }
}

/** A request of a client at another node. */
class TakenRound implements ClientRound {
  readonly capabilities: ClientCapabilities;
  readonly inputResponses: InputResponses;
  /** Resolves when all messages so far were sent, in order. */
  sent: Promise<void> = Promise.resolve();
  readonly #abort = new AbortController();
  readonly #tell: (body: JsonObject) => Promise<void>;

  constructor(
    { capabilities, inputResponses }: Pick<ClientRound, "capabilities" | "inputResponses">,
    tell: (body: JsonObject) => Promise<void>,
  ) {
    this.capabilities = capabilities;
    this.inputResponses = inputResponses;
    this.#tell = tell;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  cancel(): void {
    this.#abort.abort(new Error("The client has given the request up"));
  }

  logged(logged: JsonObject): void {
    this.sent = this.sent.then(() => this.#tell({ logged }));
  }

  progressed({ progress, total, message }: Progress): Promise<void> {
    const step = { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    return (this.sent = this.sent.then(() => this.#tell({ progress: step })));
  }
}
