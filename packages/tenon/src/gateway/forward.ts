/**
 * Forwards one call to its server, and bridges how the server asks in the middle of it:
 *
 * - client and server with sessions: the question goes to the client as a request;
 * - client without, server with: `asking/suspended-call.ts`;
 * - client with, server without: the gateway asks, and calls again with the answers (`asking/server-rounds.ts`);
 * - both without: questions and answers pass, and the server's state is sealed inside the gateway's.
 *
 * The request to the server is cancelled with the client's request, passes its progress on, and has the timeouts of the server's entry.
 */
import { signalOf } from "../base/abort.ts";
import type { OutgoingRequest } from "../client/call/outgoing-request.ts";
import { compose, type Middleware } from "../session/handler.ts";
import type { Progress, RequestOptions } from "../dispatch/dispatcher.ts";
import { abortOf } from "../dispatch/pending.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { UrlElicitationRequiredError } from "../protocol/errors.ts";
import type { InputRequest, InputRequiredResult } from "../protocol/input-required.ts";
import { ASKING_METHODS } from "../protocol/methods.ts";
import { invalidStateError } from "../session/asking/rounds/request-states.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { ClientIdentity } from "../wire/codec.ts";
import { hearerOf, ownerOf, type Caller } from "./clients/caller.ts";
import { roundOf } from "./asking/client-round.ts";
import { answerInRounds, assertAble, isAsking, questionsOf, type AskedCall } from "./asking/server-rounds.ts";
import type { ForwardedRequest, Lane } from "./servers/lane.ts";
import type { LaneCall } from "./asking/lane-questions.ts";
import { LiveCall } from "./asking/live-call.ts";
import { withoutReserved, withoutServerInfo, withoutTrace, withTraceOf } from "./meta.ts";
import type { Settings } from "./settings.ts";
import { requestThroughTask } from "./tasks/required-tasks.ts";
import { bindingOf, MAX_STATE_LENGTH, type CallState, type States, type SuspendedState } from "./asking/states.ts";
import type { TaskBridge } from "./tasks/task-bridge.ts";
import { SuspendedCall, type HeldPlace } from "./asking/suspended-call.ts";
import type { SuspendedCalls } from "./asking/suspended-calls.ts";

/** A call on its way. */
export interface Forward extends AskedCall {
  readonly lane: Lane;
  /** The params, with the names that the server knows. */
  readonly params: JsonObject;
}

/** The signal of a request that nothing cancels. */
const NEVER_ABORTED: AbortSignal = new AbortController().signal;

export class Forwarder {
  /** Middleware around the requests to all servers. */
  readonly #outbound: Middleware<OutgoingRequest>[] = [];
  readonly #settings: Settings;
  readonly #states: States;
  readonly #suspended: SuspendedCalls;
  readonly #bridge: TaskBridge;

  constructor(settings: Settings, states: States, { suspended, bridge }: { suspended: SuspendedCalls; bridge: TaskBridge }) {
    this.#settings = settings;
    this.#states = states;
    this.#suspended = suspended;
    this.#bridge = bridge;
  }

  /** Adds middleware around the requests to all servers, inside the middleware so far. */
  addOutbound(middleware: Middleware<OutgoingRequest>): void {
    this.#outbound.push(middleware);
  }

  /** Returns the server's result, without what belongs to the server's connection. */
  run(call: Forward): Promise<JsonObject> {
    const { context, lane } = call;
    return lane.isOpen && context.client.logLevel === undefined ? this.#forward(call) : this.#prepared(call);
  }

  /** The same for a call whose lane is not open yet, or has to give log messages. */
  async #prepared(call: Forward): Promise<JsonObject> {
    const { context, lane } = call;
    const { logLevel } = context.client;
    if (!lane.isOpen) await lane.open();
    if (logLevel !== undefined) await lane.wantLevel(logLevel);
    return this.#forward(call);
  }

  /** The revisions of the client and the server choose the way for the questions of the server. */
  #forward(call: Forward): Promise<JsonObject> {
    const { context, lane } = call;
    context.cancellation.throwIfAborted(); // a call that is cancelled meanwhile is not sent
    if (!context.codec.stateless) {
      if (lane.isStateless !== true) return this.#send(call);
      assertNoTask(call);
      return this.#counted(call, () => this.#askInRounds(call));
    }
    if (!ASKING_METHODS.has(context.method)) return this.#send(call);
    return this.#runRound(call);
  }

  /** Counts a call among those that run at its server, until `send` has ended. */
  #counted({ context, server }: Forward, send: () => Promise<JsonObject>): Promise<JsonObject> {
    const { quotas } = this.#settings;
    return quotas.isEmpty ? send() : quotas.countRunning(context, server, send);
  }

  #send(call: Forward): Promise<JsonObject> {
    return this.#counted(call, () => this.request(call));
  }

  /** Sends a request that no quota counts, also with another method than the caller's. */
  request({ context, caller, lane, server, params }: Forward, method: string = context.method): Promise<JsonObject> {
    const call = new LiveCall(context, hearerOf(caller, context));
    const request = {
      method,
      params: withoutReserved(params),
      identity: this.#identityOf(context, caller),
      options: optionsOf(context, method),
    };
    return this.#request(lane, server, request, call).then(withoutServerInfo);
  }

  /** Sends a request through the middleware for both ways, and through the middleware of the server's entry. */
  #request(lane: Lane, server: string, request: ForwardedRequest, call: LaneCall): Promise<JsonObject> {
    const { connection, middleware } = lane;
    const layers = middleware.length === 0 ? this.#outbound : [...this.#outbound, ...middleware];
    const sendOnce = (one: ForwardedRequest): Promise<JsonObject> =>
      lane.hasTasks ? requestThroughTask(lane, one, call) : lane.request(one, call);
    if (layers.length === 0 || connection === undefined) return sendOnce(request);
    const { codec, dispatcher } = connection;
    const send = compose(layers, ({ params, options }: OutgoingRequest) =>
      sendOnce({ ...request, params: withTraceOf(request.params, params), options }),
    );
    const { method, options } = request;
    const params = withoutTrace(request.params);
    const { kind, endpoint } = dispatcher.context ?? {};
    const abort = abortOf(options);
    const signal = abort === undefined ? NEVER_ABORTED : signalOf(abort);
    return Promise.resolve(send({ method, params, options, signal, protocolVersion: codec.version, transport: kind, endpoint, server }));
  }

  /** What a stateless server gets to know of the caller. A session has its level for all of its requests. */
  #identityOf({ client, codec, connection }: RequestContext, { profile }: Caller): ClientIdentity {
    return profile.identity(this.#settings.info, codec.stateless ? client.logLevel : connection.logLevel);
  }

  // ---- a client without sessions ----

  /** The suspended call that a request continues; undefined if it continues none. */
  async suspendedState(context: RequestContext): Promise<SuspendedState | undefined> {
    const { requestState } = context.params;
    if (!context.codec.stateless || typeof requestState !== "string") return undefined;
    // A state that does not open fails where the request runs.
    const state = await this.#states.open(requestState, bindingOf(context)).catch(() => undefined);
    return state?.type === "suspended" ? state : undefined;
  }

  /** Where a suspended call waits; undefined if this process does not hold it. */
  placeOf(state: SuspendedState): HeldPlace | undefined {
    return this.#suspended.find(state)?.place;
  }

  /** Passes a round to the gateway that holds its call. @throws McpError -32603 if no gateway does */
  passRound(context: RequestContext, state: SuspendedState, server: string): Promise<JsonObject> {
    // The annotations of a tool are not known without its server.
    const lost = { server, repeatable: context.method !== "tools/call" };
    return this.#suspended.continue(state, roundOf(context), lost).then(withoutServerInfo);
  }

  #runRound(call: Forward): Promise<JsonObject> {
    const { requestState, inputResponses } = call.params;
    return requestState === undefined && inputResponses === undefined ? this.#sendRound(call) : this.#continueRound(call);
  }

  async #continueRound(call: Forward): Promise<JsonObject> {
    const { context, lane, params: original, server } = call;
    const { requestState, inputResponses, ...params } = original;
    const state = typeof requestState === "string" ? await this.#states.open(requestState, bindingOf(context)) : undefined;
    if (state?.type === "suspended")
      return this.#suspended.continue(state, roundOf(context), { server, repeatable: isRepeatable(call) }).then(withoutServerInfo);
    // Its URI may lead to another server meanwhile, which must not see the state.
    if (state?.type === "passed" && state.server !== server)
      throw invalidStateError(new Error(`The state is one of server "${state.server}"`));
    if (lane.isStateless !== true) return this.#sendRound({ ...call, params });
    const passed = state?.type === "passed" && state.state !== undefined ? { requestState: state.state } : {};
    return this.#sendRound({ ...call, params: { ...params, ...(inputResponses !== undefined && { inputResponses }), ...passed } });
  }

  #sendRound(call: Forward): Promise<JsonObject> {
    if (call.lane.isStateless !== true) return this.#sendToStateful(call);
    return this.#send(call).then((result) => (isAsking(result) ? this.#pass(call, result) : result));
  }

  /** Sends a call of a client without a session to a server with sessions, which may ask in the middle of it. */
  #sendToStateful(call: Forward): Promise<JsonObject> {
    if (call.lane.hasTasks && this.#bridge.takes(call.context, call.lane, call.params)) return this.#runTask(call);
    const result = call.caller.profile.asks ? this.#sendSuspendable(call) : this.#send(call);
    return result.catch(async (error: unknown) => {
      const pages = pagesOf(error);
      if (pages === undefined) throw error;
      for (const [key, page] of Object.entries(pages)) assertAble(call, key, page);
      return { resultType: "input_required", inputRequests: pages, requestState: await this.#seal(call, { type: "again" }) };
    });
  }

  /** Makes a call a task of a server with sessions. */
  #runTask(call: Forward): Promise<JsonObject> {
    const { context, caller, lane, server } = call;
    const params = { ...withoutReserved(call.params), task: {} };
    const request = { method: context.method, params, identity: this.#identityOf(context, caller), options: { signal: context.signal } };
    const begin = (): Promise<JsonObject> => this.#bridge.begin(call, (followed) => this.#request(lane, server, request, followed));
    return this.#counted(call, begin).then(withoutServerInfo);
  }

  /** Sends a call that its first question will suspend. */
  #sendSuspendable(call: Forward): Promise<JsonObject> {
    const { context, caller, lane } = call;
    const held = new SuspendedCall(this.#suspended, {
      client: roundOf(context),
      owner: ownerOf(caller, context),
      binding: bindingOf(context),
      place: { server: call.server, lane, id: String(call.params["name"] ?? call.params["uri"]) },
    });
    const onProgress = context.meta.progressToken === undefined ? undefined : (step: Progress): unknown => held.progressed(step);
    const identity = this.#identityOf(context, caller);
    const params = withoutReserved(call.params);
    const heldRequest = (signal: AbortSignal): ForwardedRequest => ({
      method: context.method,
      params,
      identity,
      options: { signal, ...(onProgress && { onProgress }) },
    });
    // Counted until the server's result, not until the questions: the call runs while the client answers.
    const send = (signal: AbortSignal): Promise<JsonObject> =>
      this.#counted(call, () => this.#request(lane, call.server, heldRequest(signal), held));
    return held.run(send).then(withoutServerInfo);
  }

  /** Passes the questions of a stateless server, if the client can answer them. */
  async #pass(call: Forward, asking: InputRequiredResult): Promise<JsonObject> {
    for (const [key, question] of questionsOf(call, asking)) assertAble(call, key, question);
    return { ...asking, requestState: await this.#seal(call, { type: "passed", state: asking.requestState, server: call.server }) };
  }

  /** @throws McpError -32603 that names the server, if its state makes one that could not come back */
  async #seal({ context, server }: Forward, state: CallState): Promise<string> {
    const sealed = await this.#states.seal(state, bindingOf(context));
    if (sealed.length <= MAX_STATE_LENGTH) return sealed;
    const message = `Server "${server}" gave its call a state that is too long: sealed it has ${sealed.length} characters, more than ${MAX_STATE_LENGTH}`;
    throw new McpError(ErrorCode.InternalError, message, { server, limit: "requestState", max: MAX_STATE_LENGTH });
  }

  // ---- a client with sessions, a server without ----

  async #askInRounds(call: Forward): Promise<JsonObject> {
    const first = await this.request(call);
    const send = (answers: JsonObject): Promise<JsonObject> => this.request({ ...call, params: { ...call.params, ...answers } });
    return isAsking(first) ? answerInRounds(call, first, { clock: this.#settings.clock, send }) : first;
  }
}

/** A server without sessions decides itself which calls are tasks, and its list names none. @throws McpError -32601, before anything is sent */
function assertNoTask({ params, server }: Forward): void {
  if (params["task"] === undefined) return;
  const message = `Server "${server}" decides itself which calls are tasks: send the call without "task", and it is waited for`;
  throw new McpError(ErrorCode.MethodNotFound, message, { server, feature: "task" });
}

/** Whether a client may make a call again without harm: what only reads, and what the server declares so. */
function isRepeatable({ context, lane, params }: Forward): boolean {
  if (context.method !== "tools/call") return true; // reading a resource, or getting a prompt
  const annotations = lane.listing.tool.find(({ name }) => name === params["name"])?.["annotations"];
  return isJsonObject(annotations) && (annotations["readOnlyHint"] === true || annotations["idempotentHint"] === true);
}

/** The signal and the progress of the client's request. The connection adds the timeouts, which the server's entry sets. */
function optionsOf(context: RequestContext, method: string): RequestOptions {
  const { cancellation: abort } = context;
  // It waits for the end of a task, as long as the caller does.
  if (method === "tasks/result") return { abort, timeout: Infinity, maxTotalTimeout: Infinity };
  if (context.meta.progressToken === undefined) return { abort };
  return { abort, onProgress: ({ progress, total, message }) => context.progress(progress, total, message) };
}

/** The pages that a stateful server wants the user to visit first, as questions. */
function pagesOf(error: unknown): Readonly<Record<string, InputRequest>> | undefined {
  if (!(error instanceof UrlElicitationRequiredError)) return undefined;
  const pages = error.elicitations.map(({ elicitationId, ...params }) => [elicitationId, { method: "elicitation/create", params }]);
  return Object.fromEntries(pages) as Record<string, InputRequest>; // names and questions
}
