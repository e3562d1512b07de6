/**
 * The tools of one run: each call is written down, and made only if that is safe.
 *
 * Security: a model may call anything that it sees. A tool that may change something is called only if the file allows it; in place of its
 * result the model gets a text.
 */
import type { JsonObject, Tool } from "tenon";
import { ToolResult, type ToolCallOptions } from "tenon/client";
import type { ToolSource } from "tenon/models";
import type { Evals } from "./evals-file.ts";
import type { Offered } from "./offered.ts";

export interface Call {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly isError: boolean;
  /** Whether the server was called; else the model got a text in place of the result. */
  readonly wasMade: boolean;
}

/** What the model reads in place of a result. */
const NOT_MADE = "Noted. This is a test, so the call was not made; go on as if it had succeeded.";

export class WatchedTools {
  readonly calls: Call[] = [];
  readonly #offered: Offered;
  readonly #rules: Pick<Evals, "allow" | "results">;

  constructor(offered: Offered, rules: Pick<Evals, "allow" | "results">) {
    this.#offered = offered;
    this.#rules = rules;
  }

  get tools(): ReadonlyMap<string, Tool> {
    return this.#offered.tools;
  }

  readonly callTool: ToolSource["callTool"] = async (name, args = {}, options) => {
    const { result, wasMade } = await this.#result(name, args, options);
    this.calls.push({ tool: name, arguments: args, isError: result.isError, wasMade });
    return result;
  };

  readonly readResource: ToolSource["readResource"] = (uri, options) => this.#offered.source.readResource(uri, options);

  async #result(name: string, args: JsonObject, options: ToolCallOptions | undefined): Promise<{ result: ToolResult; wasMade: boolean }> {
    const rule = memberOf(this.#rules.results, name);
    if (rule !== undefined) return { result: textResult(typeof rule === "function" ? await rule(args) : rule), wasMade: false };
    const tool = this.#offered.tools.get(name);
    if (tool === undefined) return { result: textResult(`There is no tool ${name}`, true), wasMade: false };
    if (!this.#mayCall(tool, name)) return { result: textResult(NOT_MADE), wasMade: false };
    try {
      return { result: await this.#offered.source.callTool(name, args, options), wasMade: true };
    } catch (error) {
      options?.signal?.throwIfAborted();
      return { result: textResult(error instanceof Error ? error.message : String(error), true), wasMade: true };
    }
  }

  #mayCall({ annotations }: Tool, name: string): boolean {
    const { allow = [] } = this.#rules;
    return annotations?.readOnlyHint === true || allow === "all" || allow.some((one) => isNamed(name, one));
  }
}

/** Whether a tool has a name of the file: behind a group it has the name of its server before its own. */
export function isNamed(tool: string, name: string): boolean {
  return tool === name || tool.endsWith(`__${name}`);
}

function memberOf<T>(members: Readonly<Record<string, T>> = {}, tool: string): T | undefined {
  return Object.entries(members).find(([name]) => isNamed(tool, name))?.[1];
}

function textResult(text: string, isError = false): ToolResult {
  return new ToolResult({ content: [{ type: "text", text }], isError });
}
