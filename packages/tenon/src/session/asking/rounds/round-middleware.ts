/**
 * The part of asking that every call needs: notices whether its handler asks. Everything else is loaded with the first question
 * (`round-engine.ts`).
 */
import { Late } from "../../../base/late.ts";
import { isWorkerStore } from "../../../base/worker-host.ts";
import { andThen, isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import type { SharedStores } from "../../../storage/shared-stores.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { ErrorCode, McpUsageError, type ErrorData } from "../../../jsonrpc/mcp-error.ts";
import { ASKING_METHODS } from "../../../protocol/methods.ts";
import { STEPS_KEY } from "../../../protocol/tenon-keys.ts";
import type { Handler, Middleware } from "../../handler.ts";
import type { QuestionSource, RequestContext } from "../../request-context.ts";
import { requestStateSettings, type RequestStateOptions, type RequestStateSettings } from "../options.ts";
import type { ServedUserPages, UserPages } from "../user-pages.ts";
import type { TypedQuestions } from "../questions/typed-questions.ts";
import type { RoundEngine, RoundServices } from "./round-engine.ts";
import { devHost } from "../../../base/dev-host.ts";

export class RoundMiddleware implements QuestionSource {
  /** The server's. */
  readonly name: string;
  readonly #settings: RequestStateSettings;
  readonly #engine: Late<RoundEngine>;
  shared: SharedStores | undefined;
  /** The option `pages` of the server. */
  readonly pages: ServedUserPages | undefined;

  /** @throws RangeError if an option is out of range */
  constructor(options: RequestStateOptions | undefined, owner: Omit<RoundServices, "pages">, pages?: UserPages) {
    const settings = (this.#settings = requestStateSettings(options));
    this.name = owner.audience;
    this.pages = pages?.serve({ home: this, keys: settings.keys, report: owner.warn });
    this.#engine = new Late(async () => {
      const { RoundEngine: Engine } = await import("./round-engine.ts");
      const { shared, pages } = this;
      const services = { ...owner, pages };
      if (shared === undefined) return new Engine(settings, services);
      const all = shared.states === undefined ? settings : { store: shared.states, ...settings };
      if (settings.maxSuspended === 0) return new Engine(all, services);
      const { RoundForwarding: Forwarding } = await import("../forwarding/round-forwarding.ts");
      return new Engine(all, services, (holder) => new Forwarding(shared, owner, holder));
    });
  }

  /**
   * Keeps what does not travel with clients where all processes find it, unless the option `store` says where, and lets the processes
   * take up each other's calls.
   * @throws McpUsageError if each process has keys of its own: then no process could continue the calls of another
   */
  share(shared: SharedStores): void {
    if (this.#settings.keys === undefined && !isWorkerStore(shared.keyed))
      throw new McpUsageError(
        'With the option "stores" the server needs "requestState: { keys }", the same keys on all nodes: the next request of a call may come to another node',
      );
    this.shared = shared;
  }

  /** Makes the object with which the handler of a request asks. A promise only for the first question of the process. */
  questionsOf(context: RequestContext): MaybePromise<TypedQuestions> {
    return andThen(this.#engine.get(), (engine) => engine.questionsOf(context));
  }

  clean<T>(value: T, principal: string | undefined): T {
    return this.pages === undefined ? value : this.pages.clean(value, principal);
  }

  async close(): Promise<void> {
    await this.pages?.close();
    await this.#engine.loaded?.close();
  }

  async leave(ms: number): Promise<void> {
    await this.#engine.loaded?.leave(ms);
  }

  /** Lets the handlers inside it ask. Costs next to nothing if they do not. */
  readonly middleware: Middleware<RequestContext> = (handler) => (context) => {
    if (!ASKING_METHODS.has(context.method)) return handler(context);
    context.questionSource = this;
    const { pages } = this;
    const result = pages === undefined ? this.#run(context, handler) : pages.guard(context, () => this.#run(context, handler));
    return context.meta[STEPS_KEY] === true ? andThen(result, (value) => withReport(context, value)) : result;
  };

  #run(context: RequestContext, handler: Handler<RequestContext>): MaybePromise<JsonObject> {
    if (context.codec.stateless) return this.#runRound(context, handler);
    const result = handler(context);
    return isPromise(result) ? result.then((value) => this.#endLive(context, handler, value)) : this.#endLive(context, handler, result);
  }

  #endLive(context: RequestContext, handler: Handler<RequestContext>, result: JsonObject): MaybePromise<JsonObject> {
    if (result["resultType"] === "input_required") return andThen(this.#engine.get(), (engine) => engine.askLive(context, handler, result));
    // After its handler has ended the request cannot ask: middleware could not do so on revisions without a back-channel.
    context.questionSource = undefined;
    return result;
  }

  #runRound(context: RequestContext, handler: Handler<RequestContext>): MaybePromise<JsonObject> {
    const state = context.params["requestState"];
    if (typeof state === "string") return andThen(this.#engine.get(), (engine) => engine.continueCall(context, handler, state));
    try {
      const result = handler(context);
      return isPromise(result) ? this.#untilAsked(context, result) : this.#ended(context, result);
    } catch (error) {
      return this.#failed(context, error);
    }
  }

  /** Ends the round with its handler, unless the handler asks: then the engine takes the round over. */
  #untilAsked(context: RequestContext, running: Promise<JsonObject>): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      context.firstRound = { running, end: resolve };
      running
        .then(
          (result) => context.firstRound && resolve(this.#ended(context, result)),
          (error: unknown) => context.firstRound && resolve(this.#failed(context, error)),
        )
        .catch(reject);
    });
  }

  #ended(context: RequestContext, result: JsonObject): MaybePromise<JsonObject> {
    context.firstRound = undefined;
    if (result["resultType"] !== "input_required") return result;
    return andThen(this.#engine.get(), (engine) => engine.finish(context, { result }));
  }

  /**
   * Pages that the user must visit first become questions on stateless revisions, which have no error for them; other failures are
   * thrown.
   */
  #failed(context: RequestContext, error: unknown): MaybePromise<JsonObject> {
    context.firstRound = undefined;
    if ((error as Partial<ErrorData> | null | undefined)?.code !== ErrorCode.UrlElicitationRequired) throw error; // an error of any type
    return andThen(this.#engine.get(), (engine) => engine.handleFailure(context, error));
  }
}

const LOCAL: ReadonlySet<string> = new Set(["stdio", "memory", "direct"]);

/**
 * The result with the steps of its request in `_meta`, if the client may have them: the page of `tenon dev` and `tenon inspect` asks for them.
 * A handler that neither asked nor had a step has none. Security: names and times of steps are for the author of the server, so only a client
 * on the same machine gets them: over stdio, in this process, or at `tenon dev`.
 */
function withReport(context: RequestContext, result: JsonObject): JsonObject {
  const report = context.questionChannel?.journal?.report;
  const isLocal = LOCAL.has(context.transport.kind) || devHost() !== undefined;
  if (report === undefined || !isLocal) return result;
  const { handler, steps } = report;
  return { ...result, _meta: { ...(result["_meta"] as JsonObject | undefined), [STEPS_KEY]: { handler, steps: [...steps] } } };
}
