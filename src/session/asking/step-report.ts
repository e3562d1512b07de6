/**
 * What a handler did in one request: which of its steps ran and which were replayed. The page of `tenon dev` and `tenon inspect` asks for
 * it by a member of `_meta`, and gets it in the `_meta` of the result.
 *
 * Security: names and times of steps are for the author of the server. Only a client on the same machine gets them: over stdio, in this
 * process, or at `tenon dev`.
 */
import { devHost } from "../../base/dev-host.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { STEPS_KEY } from "../../protocol/meta-keys.ts";
import type { RequestContext } from "../request-context.ts";

/** Most steps of a report. Later ones are left out. */
const MAX_STEPS = 500;
const LOCAL: ReadonlySet<string> = new Set(["stdio", "streams", "memory", "direct"]);

/** One step of a handler. */
export interface StepReport {
  readonly name: string;
  readonly state: "ran" | "failed" | "replayed";
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds that its work took; 0 for a step that was replayed. */
  readonly ms: number;
}

/** The steps of one request, and how its handler came to run: from its beginning, on from its question, or from its beginning again. */
export class RunReport {
  handler: "began" | "continued" | "ran again" = "began";
  readonly steps: StepReport[] = [];

  /** Adds a step that was replayed. */
  replayed(name: string): void {
    this.#add({ name, state: "replayed", at: Date.now(), ms: 0 });
  }

  /** Runs the work of a step, and adds it. @throws what the work throws */
  async running<T>(name: string, work: () => Promise<T>): Promise<T> {
    const at = Date.now();
    let state: StepReport["state"] = "failed";
    try {
      const value = await work();
      state = "ran";
      return value;
    } finally {
      this.#add({ name, state, at, ms: Date.now() - at });
    }
  }

  #add(step: StepReport): void {
    if (this.steps.length < MAX_STEPS) this.steps.push(step);
  }
}

/** Whether the client asks for a report, and may have it. */
export function wantsReport({ meta, transport }: RequestContext): boolean {
  return meta[STEPS_KEY] === true && (LOCAL.has(transport.kind) || devHost() !== undefined);
}

/** The result with the report of its request. A handler that neither asked nor had a step has none. */
export function withReport(context: RequestContext, result: JsonObject): JsonObject {
  const report = context.questionChannel?.journal?.report;
  if (report === undefined) return result;
  const { handler, steps } = report;
  return { ...result, _meta: { ...(result["_meta"] as JsonObject | undefined), [STEPS_KEY]: { handler, steps: [...steps] } } };
}
