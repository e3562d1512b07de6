/**
 * A server made of a recording: its lists as they were, and the recorded result of each call, in the order in which calls with the same
 * arguments were made. The last one stays. It asks again what was asked, and sends the same progress. What was a task is a call. On every
 * revision and transport.
 */
import type { JsonObject, RequestContext } from "tenon";
import { ErrorCode, McpError } from "tenon/client";
import { canonicalJson, isJsonObject } from "tenon/internal";
import type { McpServer } from "tenon/server";
import type { SessionFile, Step } from "../inspector/target/recording.ts";
import { rawServer, type RawServerOptions } from "../raw-server.ts";

/** Most recorded calls that an error names. */
const SHOWN = 5;

export function replayedServer({ server: info, instructions, capabilities, lists, steps }: SessionFile): McpServer {
  const book = new StepBook(steps);
  const { tools, resources, resourceTemplates, prompts } = lists;
  const methods: Record<string, RawServerOptions["methods"][string]> = {
    ...((tools.length > 0 || "tools" in capabilities) && {
      "tools/list": () => ({ tools: [...tools.map(withoutTasks), ...unlisted(steps, tools)] }),
      "tools/call": (context) => book.play(context, "call", nameIn(context, "name"), argumentsIn(context)),
    }),
    ...((resources.length > 0 || "resources" in capabilities) && {
      "resources/list": () => ({ resources }),
      "resources/templates/list": () => ({ resourceTemplates }),
      "resources/read": (context) => book.play(context, "read", nameIn(context, "uri"), {}),
    }),
    ...((prompts.length > 0 || "prompts" in capabilities) && {
      "prompts/list": () => ({ prompts }),
      "prompts/get": (context) => book.play(context, "prompt", nameIn(context, "name"), argumentsIn(context)),
    }),
    ...("completions" in capabilities && {
      "completion/complete": (context) => book.play(context, "send", "completion/complete", withoutMeta(context.params)),
    }),
  };
  const offered = { tools: "tools/list", resources: "resources/list", prompts: "prompts/list", completions: "completion/complete" };
  const served = Object.entries(offered).flatMap(([name, method]) => (method in methods ? [[name, {}]] : []));
  return rawServer({ info, instructions, capabilities: Object.fromEntries(served), methods });
}

/** A tool without what it says of tasks: the served server has none. */
function withoutTasks(tool: JsonObject): JsonObject {
  const { execution: _, ...others } = tool;
  return others;
}

/** Tools that were called and never listed. */
function unlisted(steps: readonly Step[], tools: readonly JsonObject[]): JsonObject[] {
  const listed = new Set(tools.map(({ name }) => name));
  const called = new Set(steps.filter(({ op, name }) => op === "call" && !listed.has(name)).map(({ name }) => name));
  return [...called].map((name) => ({ name, inputSchema: { type: "object" } }));
}

function nameIn({ params }: RequestContext, member: string): string {
  return String(params[member]);
}

function argumentsIn({ params }: RequestContext): JsonObject {
  return isJsonObject(params["arguments"]) ? params["arguments"] : {};
}

function withoutMeta(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([name]) => name !== "_meta"));
}

class StepBook {
  readonly #steps = new Map<string, { readonly all: Step[]; next: number }>();
  readonly #all: readonly Step[];

  constructor(steps: readonly Step[]) {
    this.#all = steps;
    for (const step of steps) {
      const key = keyOf(step.op, step.name, step.params);
      const entry = this.#steps.get(key) ?? { all: [], next: 0 };
      entry.all.push(step);
      this.#steps.set(key, entry);
    }
  }

  /** @throws McpError if the recorded call failed with an error, or there is none */
  async play(context: RequestContext, op: Step["op"], name: string, params: JsonObject): Promise<JsonObject> {
    const entry = this.#steps.get(keyOf(op, name, params));
    if (entry === undefined) return this.#unknown(op, name);
    const take = (): number => Math.min(entry.next++, entry.all.length - 1);
    // A handler that asks runs again in each round: it must find the same step.
    const asks = entry.all.some(({ answers }) => answers.length > 0);
    const step = entry.all[asks ? await context.step("recorded", take) : take()]!;
    for (const [number, { method, params: question }] of step.answers.entries())
      await context.passOn(`question ${number + 1}`, { method, params: question } as Parameters<RequestContext["passOn"]>[1]); // as it was asked
    for (const { progress, total, message } of step.progress ?? []) await context.progress(progress, total, message);
    if (step.failure === undefined) return step.result ?? {};
    const { code, message, data } = step.failure;
    throw new McpError(typeof code === "number" ? code : ErrorCode.InternalError, message, data === undefined ? {} : { data });
  }

  #unknown(op: Step["op"], name: string): JsonObject {
    const known = this.#all.filter((step) => step.op === op && step.name === name).map(({ params }) => JSON.stringify(params));
    const has = known.length === 0 ? "none of that name" : known.slice(0, SHOWN).join(", ");
    const message = `The recording has no ${op} of ${name} with these arguments. It has: ${has}`;
    if (op === "call" && known.length > 0) return { content: [{ type: "text", text: message }], isError: true };
    throw new McpError(ErrorCode.InvalidParams, message);
  }
}

function keyOf(op: string, name: string, params: JsonObject): string {
  return `${op} ${name} ${canonicalJson(params)}`;
}
