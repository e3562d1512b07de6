/**
 * What the page can ask for: a closed table of operations. Each checks its parameters before it does anything.
 *
 * Security: no operation takes a program, a path or a URL to connect to. Servers are chosen by their number on the command line.
 */
import { basename } from "node:path";
import { isJsonObject, isSupportedVersion } from "tenon/internal";
import { LOGGING_LEVELS, type JsonObject, type LoggingLevel, type ProtocolVersion, type Root } from "tenon";
import type { ListKind, OperationName, ReplayedStep, WireEntry } from "./entries.ts";
import type { Journal } from "./server/journal.ts";
import type { Calls } from "./target/calls.ts";
import type { Inspected } from "./target/inspected.ts";
import type { Login } from "./target/login.ts";
import type { ModelDrafts } from "./target/model-drafts.ts";
import { OperationError } from "./target/failure.ts";
import type { Questions } from "./target/questions.ts";
import { exportTest } from "./target/export-test.ts";
import { sessionText, type Recording } from "./target/recording.ts";
import { replay, type Replayed } from "./target/replay.ts";
import { issuesOf } from "./target/schema-issues.ts";
import { LIST_KINDS } from "./target/server-lists.ts";
import { translate } from "./target/translate.ts";

type Operation = (request: JsonObject) => unknown;

interface InspectorSession {
  readonly targets: readonly Inspected[];
  readonly journal: Journal;
  readonly questions: Questions;
  readonly calls: Calls;
  readonly login: Login;
  readonly drafts: ModelDrafts;
}

/** What views may ask of their server. */
const VIEW_METHODS = { "tools/call": "call", "resources/read": "read", "resources/list": "send" } as const;

/** Returns the function that runs an operation. It throws OperationError for one that is unknown or malformed. */
export function operationsOf(session: InspectorSession): (request: JsonObject) => Promise<unknown> {
  const table = new Map(Object.entries(tableOf(session)));
  return async (request) => {
    const run = table.get(String(request["op"]));
    if (run === undefined) throw new OperationError("There is no such operation");
    return run(request);
  };
}

function tableOf({ targets, journal, questions, calls, login, drafts }: InspectorSession): Partial<Record<OperationName, Operation>> {
  const on = (request: JsonObject): Inspected => {
    const target = targets[Number(request["target"])];
    if (target === undefined) throw new OperationError('"target" must be the number of a server');
    return target;
  };
  const start = (op: "call" | "read" | "prompt" | "ping" | "send") => (request: JsonObject) => {
    const timeout = request["timeout"] === undefined ? undefined : count(request, "timeout");
    const params = request["params"] === undefined ? {} : object(request, "params");
    const name = op === "ping" ? "ping" : text(request, "name");
    const revision = revisionOf(request) as ProtocolVersion | undefined; // it was checked
    const limits = { ...(timeout && { timeout }), ...(revision && { revision }) };
    calls.start(on(request), { call: text(request, "call"), op, name, params, ...limits, task: request["task"] !== false });
  };
  const watch = (isWatched: boolean) => async (request: JsonObject) => {
    const target = on(request);
    await target.watching.set(target.client, text(request, "uri"), isWatched);
    target.tellState();
  };
  const wireEntry = (request: JsonObject): { entry: WireEntry; whole: string } => {
    const line = journal.find(count(request, "seq"));
    const entry = line && (JSON.parse(line.line) as WireEntry);
    if (entry?.kind !== "wire") throw new OperationError("This message is not kept any more");
    return { entry, whole: line!.whole ?? entry.text };
  };
  return {
    call: start("call"),
    read: start("read"),
    prompt: start("prompt"),
    ping: start("ping"),
    send: start("send"),
    view: (request) => {
      const op = VIEW_METHODS[oneOf(request, "method", Object.keys(VIEW_METHODS)) as keyof typeof VIEW_METHODS];
      return calls.forView(on(request), {
        call: text(request, "call"),
        op,
        name: text(request, "name"),
        params: object(request, "params"),
      });
    },
    cancel: (request) => (request["call"] === undefined ? login.cancel(on(request)) : calls.cancel(text(request, "call"))),
    answer: (request) => questions.answer(count(request, "question"), object(request, "answer")),
    draft: (request) => drafts.draft(count(request, "question")),
    complete: (request) => complete(on(request), request),
    validate: async (request) => issuesOf(schemaOf(on, questions, request), request["value"]),
    subscribe: watch(true),
    unsubscribe: watch(false),
    level: (request) => on(request).setLevel(oneOf(request, "level", LOGGING_LEVELS) as LoggingLevel),
    roots: (request) => on(request).setRoots(rootsOf(request["roots"])),
    relist: (request) => relist(on(request), request),
    speak: (request) => void on(request).connect(revisionOf(request)),
    task: (request) => task(on(request), request),
    load: (request) => wireEntry(request).whole,
    translate: (request) => {
      const { entry, whole } = wireEntry(request);
      return translate(entry, whole, text(request, "revision"));
    },
    record: (request) => on(request).record(request["on"] === true),
    forget: (request) => on(request).forget(count(request, "step")),
    replay: (request) => replayed(on(request), revisionOf(request)),
    export: (request) => exported(on(request)),
    save: (request) => saved(on(request)),
    login: (request) => login.start(on(request)),
    logout: (request) => login.logout(on(request)),
    doctor: async (request) => {
      const { doctor } = on(request).target;
      if (doctor === undefined) throw new OperationError("This server is not reached over a network");
      return doctor(AbortSignal.timeout(60_000));
    },
  };
}

async function complete(target: Inspected, request: JsonObject): Promise<unknown> {
  const { type, name } = object(request, "ref");
  const ref =
    type === "ref/prompt" ? { type: "ref/prompt" as const, name: String(name) } : { type: "ref/resource" as const, uri: String(name) };
  const { name: argument, value } = object(request, "argument");
  const known = object(request, "context") as { [name: string]: string }; // the server checks the values
  const params = { ref, argument: { name: String(argument), value: String(value) }, context: { arguments: known } } as const;
  const { completion } = await target.client.complete(params, { timeout: 10_000 });
  return completion;
}

function schemaOf(on: (request: JsonObject) => Inspected, questions: Questions, request: JsonObject): unknown {
  if (request["question"] !== undefined) return questions.schemaOf(count(request, "question"));
  const name = text(request, "tool");
  return on(request)
    .lists.of("tools")
    .find((tool) => tool["name"] === name)?.["inputSchema"];
}

async function relist(target: Inspected, request: JsonObject): Promise<void> {
  const of = request["of"] === undefined ? undefined : (oneOf(request, "of", LIST_KINDS) as ListKind);
  await target.lists.read(target.client, of === undefined ? LIST_KINDS : [of]);
}

async function task(target: Inspected, request: JsonObject): Promise<unknown> {
  const remote = target.client.task(text(request, "task"));
  const action = oneOf(request, "action", ["get", "cancel"]);
  return action === "cancel" ? remote.cancel({ timeout: 10_000 }) : remote.get({ timeout: 10_000 });
}

function recordingOf({ recording }: Inspected): Recording {
  if (recording === undefined || recording.steps.length === 0)
    throw new OperationError("Nothing is recorded: start a recording and make calls");
  return recording;
}

async function again(target: Inspected, revision?: string): Promise<readonly Replayed[]> {
  const { server, options: { auth } = {} } = target.target;
  const quiet = "command" in server ? { ...server, stderr: "ignore" as const } : server;
  return replay(quiet, recordingOf(target), { ...(auth && { auth }), roots: target.roots }, revision as ProtocolVersion | undefined);
}

async function replayed(target: Inspected, revision?: string): Promise<readonly ReplayedStep[]> {
  return (await again(target, revision)).map(({ step, result, failure, unexpected }) => {
    const { op, name } = step;
    return { op, name, before: step.result ?? step.failure, after: result ?? failure, unexpected };
  });
}

async function exported(target: Inspected): Promise<string> {
  const recording = recordingOf(target);
  const { module } = target.target;
  const specifier = module && `./${basename(module.path)}`;
  return exportTest({ target: target.target, recording, again: await again(target), specifier });
}

/** The recording as a file for `tenon record --serve`. */
function saved(target: Inspected): string {
  const { revision, steps } = recordingOf(target);
  const { serverInfo = { name: "recorded", version: "0.0.0" }, serverCapabilities, instructions } = target.client;
  const { lists } = target;
  return sessionText({
    recording: 1,
    revision,
    server: serverInfo,
    capabilities: { ...serverCapabilities },
    ...(instructions !== undefined && { instructions }),
    lists: {
      tools: lists.of("tools"),
      resources: lists.of("resources"),
      resourceTemplates: lists.of("templates"),
      prompts: lists.of("prompts"),
    },
    steps,
  });
}

function rootsOf(request: unknown): readonly Root[] {
  if (!Array.isArray(request) || request.length > 100) throw new OperationError('"roots" must be a list of 100 roots at most');
  return request.map((root: unknown) => {
    const { uri, name } = isJsonObject(root) ? root : {};
    if (typeof uri !== "string" || !uri.startsWith("file://")) throw new OperationError("The URI of a root must begin with file://");
    return { uri, ...(typeof name === "string" && name !== "" && { name }) };
  });
}

function revisionOf(request: JsonObject): Parameters<Inspected["connect"]>[0] {
  const revision = request["revision"];
  if (revision === undefined) return undefined;
  if (typeof revision === "string" && isSupportedVersion(revision)) return revision;
  throw new OperationError(`There is no revision ${JSON.stringify(revision)}`);
}

// ---- parameters ----

function text(request: JsonObject, name: string): string {
  const value = request[name];
  if (typeof value !== "string") throw new OperationError(`"${name}" must be a text`);
  return value;
}

function object(request: JsonObject, name: string): JsonObject {
  const value = request[name];
  if (!isJsonObject(value)) throw new OperationError(`"${name}" must be an object`);
  return value;
}

function count(request: JsonObject, name: string): number {
  const value = request[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw new OperationError(`"${name}" must be a whole number from 0`);
  return value;
}

function oneOf(request: JsonObject, name: string, values: readonly string[]): string {
  const value = text(request, name);
  if (!values.includes(value)) throw new OperationError(`"${name}" must be one of ${values.join(", ")}`);
  return value;
}
