/**
 * What the page can ask for: a closed table of operations. Each checks its parameters before it does anything.
 *
 * Security: no operation takes a program, a path or a URL to connect to. Servers are chosen by their number on the command line.
 */
import { basename } from "node:path";
import { isJsonObject, isSupportedVersion } from "tenon/internal";
import type { JsonObject, LoggingLevel, ProtocolVersion, Root } from "tenon";
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

type Operation = (given: JsonObject) => unknown;

export interface OperationParts {
  readonly targets: readonly Inspected[];
  readonly journal: Journal;
  readonly questions: Questions;
  readonly calls: Calls;
  readonly login: Login;
  readonly drafts: ModelDrafts;
}

const LEVELS: readonly string[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** What views may ask of their server. */
const VIEW_METHODS = { "tools/call": "call", "resources/read": "read", "resources/list": "send" } as const;

/** Returns the function that runs an operation. It throws OperationError for one that is unknown or malformed. */
export function operationsOf(parts: OperationParts): (given: JsonObject) => Promise<unknown> {
  const table = new Map(Object.entries(tableOf(parts)));
  return async (given) => {
    const run = table.get(String(given["op"]));
    if (run === undefined) throw new OperationError("There is no such operation");
    return run(given);
  };
}

function tableOf({ targets, journal, questions, calls, login, drafts }: OperationParts): Partial<Record<OperationName, Operation>> {
  const on = (given: JsonObject): Inspected => {
    const target = targets[Number(given["target"])];
    if (target === undefined) throw new OperationError('"target" must be the number of a server');
    return target;
  };
  const start = (op: "call" | "read" | "prompt" | "ping" | "send") => (given: JsonObject) => {
    const timeout = given["timeout"] === undefined ? undefined : count(given, "timeout");
    const params = given["params"] === undefined ? {} : object(given, "params");
    const name = op === "ping" ? "ping" : text(given, "name");
    const revision = revisionOf(given) as ProtocolVersion | undefined; // it was checked
    const limits = { ...(timeout && { timeout }), ...(revision && { revision }) };
    calls.start(on(given), { call: text(given, "call"), op, name, params, ...limits, task: given["task"] !== false });
  };
  const watch = (isWatched: boolean) => async (given: JsonObject) => {
    const target = on(given);
    await target.watching.set(target.client, text(given, "uri"), isWatched);
    target.tellState();
  };
  const wireEntry = (given: JsonObject): { entry: WireEntry; whole: string } => {
    const kept = journal.find(count(given, "seq"));
    const entry = kept && (JSON.parse(kept.line) as WireEntry);
    if (entry?.kind !== "wire") throw new OperationError("This message is not kept any more");
    return { entry, whole: kept!.whole ?? entry.text };
  };
  return {
    call: start("call"),
    read: start("read"),
    prompt: start("prompt"),
    ping: start("ping"),
    send: start("send"),
    view: (given) => {
      const op = VIEW_METHODS[oneOf(given, "method", Object.keys(VIEW_METHODS)) as keyof typeof VIEW_METHODS];
      return calls.forView(on(given), { call: text(given, "call"), op, name: text(given, "name"), params: object(given, "params") });
    },
    cancel: (given) => (given["call"] === undefined ? login.cancel(on(given)) : calls.cancel(text(given, "call"))),
    answer: (given) => questions.answer(count(given, "question"), object(given, "answer")),
    draft: (given) => drafts.draft(count(given, "question")),
    complete: (given) => complete(on(given), given),
    validate: async (given) => issuesOf(schemaOf(on, questions, given), given["value"]),
    subscribe: watch(true),
    unsubscribe: watch(false),
    level: (given) => on(given).setLevel(oneOf(given, "level", LEVELS) as LoggingLevel),
    roots: (given) => on(given).setRoots(rootsOf(given["roots"])),
    relist: (given) => relist(on(given), given),
    speak: (given) => void on(given).connect(revisionOf(given)),
    task: (given) => task(on(given), given),
    load: (given) => wireEntry(given).whole,
    translate: (given) => {
      const { entry, whole } = wireEntry(given);
      return translate(entry, whole, text(given, "revision"));
    },
    record: (given) => on(given).record(given["on"] === true),
    forget: (given) => on(given).forget(count(given, "step")),
    replay: (given) => replayed(on(given), revisionOf(given)),
    export: (given) => exported(on(given)),
    save: (given) => saved(on(given)),
    login: (given) => login.start(on(given)),
    logout: (given) => login.logout(on(given)),
    doctor: async (given) => {
      const { doctor } = on(given).target;
      if (doctor === undefined) throw new OperationError("This server is not reached over a network");
      return doctor(AbortSignal.timeout(60_000));
    },
  };
}

async function complete(target: Inspected, given: JsonObject): Promise<unknown> {
  const { type, name } = object(given, "ref");
  const ref =
    type === "ref/prompt" ? { type: "ref/prompt" as const, name: String(name) } : { type: "ref/resource" as const, uri: String(name) };
  const { name: argument, value } = object(given, "argument");
  const known = object(given, "context") as { [name: string]: string }; // the server checks the values
  const params = { ref, argument: { name: String(argument), value: String(value) }, context: { arguments: known } } as const;
  const { completion } = await target.client.complete(params, { timeout: 10_000 });
  return completion;
}

/** The schema of a tool's arguments, or of an open question. */
function schemaOf(on: (given: JsonObject) => Inspected, questions: Questions, given: JsonObject): unknown {
  if (given["question"] !== undefined) return questions.schemaOf(count(given, "question"));
  const name = text(given, "tool");
  return on(given)
    .lists.of("tools")
    .find((tool) => tool["name"] === name)?.["inputSchema"];
}

async function relist(target: Inspected, given: JsonObject): Promise<void> {
  const of = given["of"] === undefined ? undefined : (oneOf(given, "of", LIST_KINDS) as ListKind);
  await target.lists.read(target.client, of === undefined ? LIST_KINDS : [of]);
}

async function task(target: Inspected, given: JsonObject): Promise<unknown> {
  const remote = target.client.task(text(given, "task"));
  const action = oneOf(given, "action", ["get", "cancel"]);
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

function rootsOf(given: unknown): readonly Root[] {
  if (!Array.isArray(given) || given.length > 100) throw new OperationError('"roots" must be a list of 100 roots at most');
  return given.map((root: unknown) => {
    const { uri, name } = isJsonObject(root) ? root : {};
    if (typeof uri !== "string" || !uri.startsWith("file://")) throw new OperationError("The URI of a root must begin with file://");
    return { uri, ...(typeof name === "string" && name !== "" && { name }) };
  });
}

function revisionOf(given: JsonObject): Parameters<Inspected["connect"]>[0] {
  const revision = given["revision"];
  if (revision === undefined) return undefined;
  if (typeof revision === "string" && isSupportedVersion(revision)) return revision;
  throw new OperationError(`There is no revision ${JSON.stringify(revision)}`);
}

// ---- parameters ----

function text(given: JsonObject, name: string): string {
  const value = given[name];
  if (typeof value !== "string") throw new OperationError(`"${name}" must be a text`);
  return value;
}

function object(given: JsonObject, name: string): JsonObject {
  const value = given[name];
  if (!isJsonObject(value)) throw new OperationError(`"${name}" must be an object`);
  return value;
}

function count(given: JsonObject, name: string): number {
  const value = given[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw new OperationError(`"${name}" must be a whole number from 0`);
  return value;
}

function oneOf(given: JsonObject, name: string, values: readonly string[]): string {
  const value = text(given, name);
  if (!values.includes(value)) throw new OperationError(`"${name}" must be one of ${values.join(", ")}`);
  return value;
}
