/**
 * The option `spill` of a gateway: results of all servers whose text is too long become a preview, and `read_more` reads on.
 *
 * Security: what is kept belongs to the caller of the gateway, as in a server (`../spill/owner.ts`), however servers share connections.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Handler, Middleware } from "../session/handler.ts";
import type { RequestContext } from "../session/request-context.ts";
import { READ_MORE, READ_MORE_INPUT, READ_MORE_OPTIONS } from "../spill/names.ts";
import type { SpillSettings } from "../spill/options.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import { MemoryKeyedStore } from "../storage/memory/keyed-store.ts";
import type { ListedEntry } from "./catalog/pages.ts";
import type { Fronts } from "./clients/fronts.ts";
import type { Settings } from "./settings.ts";
import type { Router } from "./router.ts";

const OWN_ENTRY: ListedEntry = { name: READ_MORE, item: { name: READ_MORE, ...READ_MORE_OPTIONS, inputSchema: READ_MORE_INPUT } };

interface SpillingGateway {
  readonly settings: Settings;
  readonly router: Router;
  readonly fronts: Fronts;
}

export class GatewaySpill {
  /** Where results are kept: the stores of the endpoint if it has any. */
  store: KeyedStore = new MemoryKeyedStore();
  readonly #settings: SpillSettings;
  readonly #gateway: SpillingGateway;
  readonly #report = (error: unknown): void => this.#gateway.settings.report(error, { method: "tools/call" });

  constructor(settings: SpillSettings, gateway: SpillingGateway) {
    this.#settings = settings;
    this.#gateway = gateway;
  }

  /** Around the middleware, so that a result that middleware keeps is whole. */
  readonly layer: Middleware<RequestContext> =
    (next: Handler<RequestContext>): Handler<RequestContext> =>
    async (context) => {
      const result = await next(context);
      if (context.method === "tools/call") return this.#spilled(context, result);
      if (context.method === "tasks/result") return this.#spill(context, result, true);
      return context.method === "tasks/get" ? this.#spilledTask(context, result) : result;
    };

  isOwn(name: unknown): boolean {
    return name === READ_MORE;
  }

  /** The entries of the list of tools, with the gateway's own. */
  listed(tools: readonly ListedEntry[]): readonly ListedEntry[] {
    return [OWN_ENTRY, ...tools];
  }

  async run(context: RequestContext): Promise<JsonObject> {
    const { readMore } = await import("../spill/read-more.ts");
    const args = context.params["arguments"] ?? {};
    return readMore(isJsonObject(args) ? args : {}, context, this.store);
  }

  /** Reads a link of the caller; undefined if nothing is kept under it. */
  async read(context: RequestContext): Promise<JsonObject | undefined> {
    const { readLink } = await import("../spill/read-more.ts");
    const uri = context.params["uri"] as string; // checked by the codec
    const text = await readLink(uri, context, this.store);
    return text === undefined ? undefined : { contents: [{ uri, mimeType: "text/plain", text }] };
  }

  /** Tells the states of a task of the caller, in order, with a preview in the place of a result that is too long. */
  telling(context: RequestContext, tell: (state: JsonObject) => void): (state: JsonObject) => void {
    let last: Promise<unknown> = Promise.resolve();
    return (state) => {
      last = last.then(async () => tell(await this.#spilledTask(context, state))).catch(this.#report);
    };
  }

  async #spilled(context: RequestContext, result: JsonObject): Promise<JsonObject> {
    if (this.isOwn(context.params["name"])) return result;
    const { router, fronts } = this.#gateway;
    const lists = await router.lists.of(fronts.caller(context));
    const tool = lists.find("tool", context.params["name"] as string); // checked by the codec
    return this.#spill(context, result, tool === undefined || tool.item["outputSchema"] !== undefined);
  }

  async #spilledTask(context: RequestContext, task: JsonObject): Promise<JsonObject> {
    const { result } = task;
    return isJsonObject(result) ? { ...task, result: await this.#spill(context, result, true) } : task;
  }

  async #spill(context: RequestContext, result: JsonObject, hasOutput: boolean): Promise<JsonObject> {
    const settings = this.#settings;
    const { isTooLong, spill } = await import("../spill/spill.ts");
    if (!isTooLong(result, { settings, hasOutput })) return result;
    const { name: tool } = context.params;
    const name = typeof tool === "string" ? tool : "the task";
    return spill(result, { settings, hasOutput, context, store: this.store, name, report: this.#report });
  }
}
