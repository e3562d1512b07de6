/**
 * The first answer of a tool: finds the schema it must fit, and compiles it. Loaded where a tool has one, or where a tool is
 * called that was never listed; from then on `OutputCheck` goes by what is compiled.
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CallToolResult } from "../../protocol/tools.ts";
import { defaultJsonSchemaValidator, type JsonSchemaCheck } from "../../schema/json-schema-validator.ts";
import { describeIssues } from "../../schema/standard-schema.ts";
import { ToolOutputValidationError } from "../errors.ts";
import type { KnownTool, OutputFacts } from "./output-facts.ts";

export class OutputValidation {
  readonly #facts: OutputFacts;
  readonly #tools: ReadonlyMap<string, KnownTool>;
  readonly #unlisted: Set<string>;
  /** Schemas that are being compiled. */
  readonly #compiling = new WeakMap<KnownTool, Promise<JsonSchemaCheck>>();
  /** One after the other: what one look-up learns, the next need not ask for. */
  #lookUps: Promise<void> = Promise.resolve();

  /** `tools` are what is known, and come to be; `unlisted` takes up those that no list has. */
  constructor(facts: OutputFacts, tools: ReadonlyMap<string, KnownTool>, unlisted: Set<string>) {
    this.#facts = facts;
    this.#tools = tools;
    this.#unlisted = unlisted;
  }

  /** @throws ToolOutputValidationError */
  async accept(name: string, result: CallToolResult): Promise<CallToolResult> {
    if (!this.#tools.has(name)) await (this.#lookUps = this.#lookUps.then(() => this.#find(name)));
    const known = this.#tools.get(name);
    if (known?.outputSchema === undefined) return result;
    if (known.accept === undefined) {
      assertStructured(name, result);
      const check = await this.#compiled(name, known, known.outputSchema, result);
      known.accept = (answer) => verdict(name, check, answer);
    }
    return known.accept(result);
  }

  async #find(name: string): Promise<void> {
    if (this.#tools.has(name) || this.#unlisted.has(name)) return;
    const { lookUp, report } = this.#facts;
    try {
      await lookUp(name);
    } catch (error) {
      // A server without a list does not turn a success into a failure (CS-51).
      report(error);
    }
    if (this.#tools.has(name)) return;
    this.#unlisted.add(name);
    report(new Error(`Tool ${name} not listed by server, cannot validate any structured content`));
  }

  async #compiled(name: string, known: KnownTool, schema: JsonObject, result: CallToolResult): Promise<JsonSchemaCheck> {
    const { validator = defaultJsonSchemaValidator } = this.#facts;
    try {
      const check: MaybePromise<JsonSchemaCheck> = this.#compiling.get(known) ?? validator.compile(schema);
      if (isPromise(check)) this.#compiling.set(known, check);
      return await check;
    } catch (cause) {
      this.#compiling.delete(known);
      const detail = cause instanceof Error ? cause.message : String(cause);
      throw new ToolOutputValidationError(name, "schema", `Invalid schema for tool ${name}: ${detail}`, result, [], { cause });
    }
  }
}

function assertStructured(name: string, result: CallToolResult): void {
  if (result.structuredContent !== undefined) return;
  const problem = `Tool ${name} has an output schema but did not return structured content`;
  throw new ToolOutputValidationError(name, "missing", problem, result);
}

function verdict(name: string, check: JsonSchemaCheck, result: CallToolResult): CallToolResult {
  assertStructured(name, result);
  const { issues } = check(result.structuredContent);
  if (issues === undefined) return result;
  const problem = `Invalid structured content returned by tool ${name}: ${describeIssues(issues)}`;
  throw new ToolOutputValidationError(name, "invalid", problem, result, issues);
}
