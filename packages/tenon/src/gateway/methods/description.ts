/** What the gateway says of itself to a client: its name, its capabilities with the extensions of all servers, and its instructions. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities, ServerCapabilities } from "../../protocol/capabilities.ts";
import { discover, initialize, type ServerDescription } from "../../server/serving/lifecycle.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { Codec } from "../../wire/codec.ts";
import type { Caller } from "../clients/caller.ts";
import { TASKS_ID } from "../clients/profile.ts";
import type { GatewayParts } from "../parts.ts";
import type { SaidWords } from "../router.ts";

/** Servers may join later, and each of these has calls that work, so all are declared always. */
const CAPABILITIES: ServerCapabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
  // Each tool says whether it can be a task.
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};
/** Most characters of the instructions of one server, and of all. */
const MAX_INSTRUCTIONS = 8_192;
const MAX_ALL_INSTRUCTIONS = 32_768;

export class Description {
  readonly #parts: GatewayParts;
  readonly #instructions: string | undefined;

  /** @param instructions the instructions of the gateway itself */
  constructor(parts: GatewayParts, instructions: string | undefined) {
    this.#parts = parts;
    this.#instructions = instructions;
  }

  async initialize(context: RequestContext): Promise<JsonObject> {
    return initialize(await this.#of(context), context);
  }

  async discover(context: RequestContext): Promise<JsonObject> {
    return discover(await this.#of(context));
  }

  async #of(context: RequestContext): Promise<ServerDescription> {
    const caller = this.#callerOf(context);
    // A client with extensions asks once for the servers' extensions, so it waits for them as a list does.
    if (caller.profile.capabilities.extensions !== undefined) await this.#parts.router.lists.of(caller);
    const said = await this.#saidTo(context, caller);
    return {
      info: this.#parts.settings.info,
      facts: () => ({ capabilities: this.#capabilities(context.codec, said), ...this.#allInstructions(said) }),
    };
  }

  /** What the servers say of which the caller sees an entry. */
  async #saidTo(context: RequestContext, caller: Caller): Promise<readonly SaidWords[]> {
    const { router, access, settings } = this.#parts;
    const all = router.wordsFor(caller);
    if (settings.policy === undefined) return all;
    const said: SaidWords[] = [];
    for (const one of all) if (await access.seesAny(context, one.server, one.server.listingFor(caller))) said.push(one);
    return said;
  }

  /** The caller, with what it declares: the session of an `initialize` has no abilities yet. */
  #callerOf(context: RequestContext): Caller {
    const params = context.params as { readonly capabilities?: ClientCapabilities }; // checked by the codec
    return this.#parts.fronts.callerWith(params.capabilities ?? context.client.capabilities, context);
  }

  /** What the gateway declares: the extensions of all servers, as far as they are known. If several servers configure one, the first server's settings win. */
  #capabilities({ stateless }: Codec, said: readonly SaidWords[]): ServerCapabilities {
    const all = said.toReversed().map(({ words }) => words.extensions);
    const { [TASKS_ID]: tasks, ...others } = Object.assign({}, ...all) as Record<string, JsonObject>;
    // Stateful revisions have tasks of their own.
    const extensions = stateless && tasks !== undefined ? { ...others, [TASKS_ID]: tasks } : others;
    return Object.keys(extensions).length === 0 ? CAPABILITIES : { ...CAPABILITIES, extensions };
  }

  #allInstructions(said: readonly SaidWords[]): { instructions?: string } {
    const own = this.#instructions;
    const parts = said.flatMap(({ server: { name }, words: { instructions } }) =>
      instructions === undefined ? [] : [`# ${name}\n${instructions.slice(0, MAX_INSTRUCTIONS)}`],
    );
    const text = [...(own === undefined ? [] : [own]), ...parts].join("\n\n").slice(0, MAX_ALL_INSTRUCTIONS);
    return text === "" ? {} : { instructions: text };
  }
}
