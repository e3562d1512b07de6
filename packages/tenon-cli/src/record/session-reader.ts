/**
 * Reads the messages between a client and a server, and puts the recording together: what the server says of itself, its lists, and each
 * call with its result and the questions in it.
 *
 * It changes nothing, and understands every revision: questions are requests of the server, or results of rounds.
 */
import type { Implementation, JSONRPCMessage, JsonObject, RequestId } from "tenon";
import { BoundedMap, isJsonObject, PROTOCOL_VERSION_KEY } from "tenon/internal";
import type { Answered, Progressed, SessionFile, Step } from "../inspector/target/recording.ts";

/** Most steps of a recording, most requests of one client whose response is awaited, and most progress of one call. */
const MAX_STEPS = 5_000;
const MAX_PENDING = 1_024;
const MAX_PROGRESS = 1_000;

const OPS = { "tools/call": "call", "resources/read": "read", "prompts/get": "prompt", "completion/complete": "send" } as const;
const LISTS = {
  "tools/list": ["tools", "name"],
  "resources/list": ["resources", "uri"],
  "resources/templates/list": ["resourceTemplates", "uriTemplate"],
  "prompts/list": ["prompts", "name"],
} as const;
/** Members of params that belong to one request, and not to what was asked. */
const OF_REQUEST: ReadonlySet<string> = new Set(["_meta", "inputResponses", "requestState", "task"]);
const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";
const QUESTIONS: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage", "roots/list"]);

interface Pending {
  readonly method: string;
  readonly params: JsonObject;
  readonly answers: Answered[];
  readonly progress: Progressed[];
}

interface Asked {
  readonly method: string;
  readonly params: JsonObject;
  readonly of: Pending | undefined;
}

/** One client of the server: ids are its own. */
interface Session {
  readonly requests: BoundedMap<RequestId, Pending>;
  readonly questions: BoundedMap<RequestId, Asked>;
}

export class SessionReader {
  readonly #sessions = new BoundedMap<string, Session>(256);
  /** Calls that wait for the next round, by their state or their name, with what they asked. */
  readonly #rounds = new BoundedMap<string, { readonly call: Pending; readonly asked: JsonObject }>(MAX_PENDING);
  /** Calls that go on as tasks, by the id of the task. */
  readonly #tasks = new BoundedMap<string, Pending>(MAX_PENDING);
  readonly #lists = {
    tools: new Map<string, JsonObject>(),
    resources: new Map<string, JsonObject>(),
    resourceTemplates: new Map<string, JsonObject>(),
    prompts: new Map<string, JsonObject>(),
  };
  readonly #steps: Step[] = [];
  #revision = "";
  #server: Implementation = { name: "recorded", version: "0.0.0" };
  #capabilities: JsonObject = {};
  #instructions: string | undefined;

  /** @param session tells clients apart: ids are unique in one */
  fromClient(message: JSONRPCMessage, session = ""): void {
    const { requests, questions } = this.#session(session);
    if (!("method" in message)) {
      const pending = message.id === null ? undefined : questions.get(message.id);
      if (message.id !== null) questions.delete(message.id);
      if (pending?.of !== undefined && "result" in message && isJsonObject(message.result))
        pending.of.answers.push(answered(pending, message.result));
    } else if ("id" in message) requests.set(message.id, this.#pendingOf(message.method, message.params ?? {}));
  }

  fromServer(message: JSONRPCMessage, session = ""): void {
    const { requests, questions } = this.#session(session);
    if ("method" in message) {
      const of = [...requests.values()].findLast(({ method }) => Object.hasOwn(OPS, method));
      const params = message.params ?? {};
      if ("id" in message && QUESTIONS.has(message.method)) questions.set(message.id, { method: message.method, params, of });
      if (message.method === "notifications/progress") this.#progressed(params, [...requests.values()]);
      if (message.method.startsWith("notifications/tasks")) this.#task(params);
      return;
    }
    const request = message.id === null ? undefined : requests.get(message.id);
    if (request === undefined || message.id === null) return;
    requests.delete(message.id);
    if ("error" in message) this.#add(this.#taskOf(request) ?? request, { failure: message.error });
    else if (isJsonObject(message.result)) this.#learn(request, message.result);
  }

  get count(): number {
    return this.#steps.length;
  }

  get file(): SessionFile {
    const { tools, resources, resourceTemplates, prompts } = this.#lists;
    return {
      recording: 1,
      revision: this.#revision,
      server: this.#server,
      capabilities: this.#capabilities,
      ...(this.#instructions !== undefined && { instructions: this.#instructions }),
      lists: {
        tools: [...tools.values()],
        resources: [...resources.values()],
        resourceTemplates: [...resourceTemplates.values()],
        prompts: [...prompts.values()],
      },
      steps: this.#steps,
    };
  }

  #session(name: string): Session {
    const known = this.#sessions.get(name) ?? { requests: new BoundedMap(MAX_PENDING), questions: new BoundedMap(MAX_PENDING) };
    this.#sessions.set(name, known);
    return known;
  }

  /** A request, or the next round of one that asked. */
  #pendingOf(method: string, params: JsonObject): Pending {
    const version = isJsonObject(params["_meta"]) ? params["_meta"][PROTOCOL_VERSION_KEY] : undefined;
    if (typeof version === "string") this.#revision = version;
    const { inputResponses } = params;
    const key = roundKey(method, params, params["requestState"]);
    const round = isJsonObject(inputResponses) ? this.#rounds.get(key) : undefined;
    if (round === undefined || !isJsonObject(inputResponses)) return { method, params, answers: [], progress: [] };
    this.#rounds.delete(key);
    for (const [name, question] of Object.entries(round.asked)) {
      const answer = inputResponses[name];
      if (!isJsonObject(question) || !isJsonObject(answer)) continue;
      const questionParams = isJsonObject(question["params"]) ? question["params"] : {};
      round.call.answers.push(answered({ method: String(question["method"]), params: questionParams }, answer));
    }
    return round.call;
  }

  #learn(request: Pending, result: JsonObject): void {
    const { method, params } = request;
    if (method === "initialize" || method === "server/discover") this.#introduce(result);
    if (Object.hasOwn(LISTS, method)) return this.#list(method as keyof typeof LISTS, result);
    if (method === "tasks/result") return this.#endTask(params["taskId"], { result: plain(result) });
    if (method === "tasks/get") return this.#task(result);
    if (!Object.hasOwn(OPS, method)) return;
    const begun = isJsonObject(result["task"]) ? result["task"] : result["resultType"] === "task" ? result : undefined;
    if (typeof begun?.["taskId"] === "string") return this.#tasks.set(begun["taskId"], request);
    if (result["resultType"] !== "input_required") return this.#add(request, { result: plain(result) });
    const questions = isJsonObject(result["inputRequests"]) ? result["inputRequests"] : {};
    this.#rounds.set(roundKey(method, params, result["requestState"]), { call: request, asked: questions });
  }

  /** Progress names its call by a token, which a task keeps after the response to its call. */
  #progressed(params: JsonObject, open: readonly Pending[]): void {
    const { progressToken, progress, total, message } = params;
    const call = [...open, ...this.#tasks.values()].findLast(
      ({ params: { _meta: meta } }) => isJsonObject(meta) && meta["progressToken"] === progressToken,
    );
    if (call === undefined || typeof progress !== "number" || call.progress.length >= MAX_PROGRESS) return;
    call.progress.push({
      progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    });
  }

  /** The state of a task of the extension, which has its result or its error when it has ended. */
  #task({ taskId, status, result, error }: JsonObject): void {
    if (isJsonObject(result)) return this.#endTask(taskId, { result: plain(result) });
    if (status === "failed" && isJsonObject(error) && typeof error["message"] === "string")
      this.#endTask(taskId, { failure: error as unknown as NonNullable<Step["failure"]> }); // it has a message
  }

  #endTask(taskId: unknown, end: Pick<Step, "result" | "failure">): void {
    const call = typeof taskId === "string" ? this.#tasks.get(taskId) : undefined;
    if (call === undefined) return;
    this.#tasks.delete(taskId as string); // it is a key
    this.#add(call, end);
  }

  /** The call of a task whose result was asked for in vain. */
  #taskOf({ method, params }: Pending): Pending | undefined {
    const { taskId } = params;
    const call = method === "tasks/result" && typeof taskId === "string" ? this.#tasks.get(taskId) : undefined;
    if (call !== undefined) this.#tasks.delete(taskId as string); // it is a key
    return call;
  }

  #introduce(result: JsonObject): void {
    const meta = isJsonObject(result["_meta"]) ? result["_meta"] : {};
    const info = result["serverInfo"] ?? meta[SERVER_INFO_KEY];
    if (isJsonObject(info) && typeof info["name"] === "string") this.#server = info as unknown as Implementation; // it has a name
    if (isJsonObject(result["capabilities"])) this.#capabilities = result["capabilities"];
    if (typeof result["instructions"] === "string") this.#instructions = result["instructions"];
    if (typeof result["protocolVersion"] === "string") this.#revision = result["protocolVersion"];
  }

  #list(method: keyof typeof LISTS, result: JsonObject): void {
    const [member, key] = LISTS[method];
    const items = result[member];
    if (!Array.isArray(items)) return;
    for (const item of items) if (isJsonObject(item)) this.#lists[member].set(String(item[key]), item);
  }

  #add({ method, params, answers, progress }: Pending, end: Pick<Step, "result" | "failure">): void {
    if (!Object.hasOwn(OPS, method) || this.#steps.length >= MAX_STEPS) return;
    const op = OPS[method as keyof typeof OPS]; // it was found there
    const own = Object.fromEntries(Object.entries(params).filter(([key]) => !OF_REQUEST.has(key)));
    const name = op === "send" ? method : String(own[op === "read" ? "uri" : "name"]);
    const input = op === "send" ? own : op === "read" ? {} : isJsonObject(own["arguments"]) ? own["arguments"] : {};
    this.#steps.push({ op, name, params: input, answers, ...(progress.length > 0 && { progress }), ...end });
  }
}

function answered({ method, params }: Pick<Asked, "method" | "params">, answer: JsonObject): Answered {
  const message = typeof params["message"] === "string" ? params["message"] : "";
  return { method: method as Answered["method"], message, params, answer }; // one of the questions
}

/** By what the next round of a call is known. */
function roundKey(method: string, params: JsonObject, state: unknown): string {
  return typeof state === "string" ? state : `${method} ${String(params["name"] ?? params["uri"])}`;
}

/** A result without what its revision adds to each. */
function plain(sent: JsonObject): JsonObject {
  const result = Object.fromEntries(Object.entries(sent).filter(([name]) => name !== "resultType" && name !== "_meta"));
  const meta = Object.entries(isJsonObject(sent["_meta"]) ? sent["_meta"] : {}).filter(([name]) => name !== SERVER_INFO_KEY);
  return meta.length === 0 ? result : { ...result, _meta: Object.fromEntries(meta) };
}
