/**
 * Checks the results of tools against the output schemas that the tools have published.
 *
 * Schemas are learned from every `tools/list` result. A tool that was never listed is looked up with its first result, and
 * a schema is compiled with its first result. The JSON Schema engine is loaded with the first schema, because many servers
 * have none.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Cursor, PaginatedRequestParams } from "../../protocol/base.ts";
import type { CallToolResult, ListToolsResult, Tool } from "../../protocol/tools.ts";
import type { JsonSchemaCheck, JsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import { describeIssues } from "../../schema/standard-schema.ts";
import type { Reading } from "../../wire/deviations.ts";
import { mendedSchema } from "../../wire/schema-mending.ts";
import { ToolOutputValidationError } from "../errors.ts";
import { items } from "./pages.ts";

/** Most tools to remember. Beyond it all are forgotten, and looked up again when they are called. */
const MAX_TOOLS = 10_000;

interface KnownTool {
  readonly outputSchema: JsonObject | undefined;
  /** Set once compiling has begun; unset again if it fails. */
  compiling?: Promise<JsonSchemaCheck> | undefined;
  check?: JsonSchemaCheck;
}

interface OutputCheckOptions {
  /** Default: the built-in one. */
  readonly validator: JsonSchemaValidator | undefined;
  /** Requests a page of the list, which this check learns from. */
  readonly listTools: (params: PaginatedRequestParams) => Promise<ListToolsResult>;
  /** What happens to schemas that deviate. */
  readonly reading: Reading;
  /** Most characters of a list that is read for a tool. */
  readonly maxListSize: number;
  readonly report: (error: unknown) => void;
}

export class OutputCheck {
  readonly #options: OutputCheckOptions;
  readonly #tools = new Map<string, KnownTool>();
  /** Tools that were looked up and not found. */
  readonly #unlisted = new Set<string>();
  /** Look-ups run one after another, because one may learn what the next needs. */
  #lookUps: Promise<void> = Promise.resolve();

  constructor(options: OutputCheckOptions) {
    this.#options = options;
  }

  /** Learns the schemas on a page of the list. An unchanged schema stays compiled. */
  learn(tools: readonly Tool[]): void {
    if (this.#tools.size + this.#unlisted.size > MAX_TOOLS) this.forget();
    for (const { name, outputSchema } of tools) {
      const known = this.#tools.get(name);
      if (known === undefined || JSON.stringify(known.outputSchema) !== JSON.stringify(outputSchema))
        this.#tools.set(name, { outputSchema });
    }
  }

  /** Forgets all schemas, because the list has changed. */
  forget(): void {
    this.#tools.clear();
    this.#unlisted.clear();
  }

  /** Checks a result. Returns a promise only if the schema has to be found or compiled first. @throws ToolOutputValidationError */
  check(name: string, result: CallToolResult): Promise<void> | undefined {
    if (result.isError === true) return undefined;
    const known = this.#tools.get(name);
    if (known?.check !== undefined) return assertFits(name, known.check, result);
    if (known === undefined ? this.#unlisted.has(name) : known.outputSchema === undefined) return undefined;
    return this.#checkFirst(name, result);
  }

  async #checkFirst(name: string, result: CallToolResult): Promise<void> {
    if (!this.#tools.has(name)) await (this.#lookUps = this.#lookUps.then(() => this.#find(name)));
    const known = this.#tools.get(name);
    if (known?.outputSchema === undefined) return;
    assertStructured(name, result);
    known.check ??= await this.#compiled(name, known, known.outputSchema, result);
    assertFits(name, known.check, result);
  }

  async #find(name: string): Promise<void> {
    if (this.#tools.has(name) || this.#unlisted.has(name)) return;
    let problem: unknown;
    try {
      await this.#list(name);
      problem = new Error(`Tool ${name} not listed by server, cannot validate any structured content`);
    } catch (error) {
      // A failed look-up must not fail a call that succeeded.
      problem = error;
    }
    if (this.#tools.has(name)) return;
    this.#unlisted.add(name);
    this.#options.report(problem);
  }

  /** Lists tools until one is found, at most once through. */
  async #list(wanted: string): Promise<void> {
    const { listTools, maxListSize } = this.#options;
    const fetchPage = (cursor: Cursor | undefined): Promise<ListToolsResult> => listTools(cursor === undefined ? {} : { cursor });
    for await (const { name } of items(fetchPage, (page) => page.tools, maxListSize)) if (name === wanted) return;
  }

  async #compiled(name: string, known: KnownTool, schema: JsonObject, result: CallToolResult): Promise<JsonSchemaCheck> {
    try {
      return await (known.compiling ??= this.#compile(schema).catch((error: unknown) => this.#compileMended(name, schema, error)));
    } catch (cause) {
      known.compiling = undefined;
      const detail = cause instanceof Error ? cause.message : String(cause);
      const problem = `Invalid schema for tool ${name}: ${detail}`;
      throw new ToolOutputValidationError(problem, { toolName: name, reason: "schema", result, cause });
    }
  }

  /** @throws `error` if there is nothing to mend */
  async #compileMended(name: string, schema: JsonObject, error: unknown): Promise<JsonSchemaCheck> {
    const { reading } = this.#options;
    const mended = reading.strict ? schema : mendedSchema(schema, `result.tools[${JSON.stringify(name)}].outputSchema`, reading);
    if (mended === schema) throw error;
    return this.#compile(mended);
  }

  async #compile(schema: JsonObject): Promise<JsonSchemaCheck> {
    const validator = this.#options.validator ?? (await import("../../schema/json-schema-validator.ts")).defaultJsonSchemaValidator;
    return validator.compile(schema);
  }
}

function assertStructured(name: string, result: CallToolResult): void {
  if (result.structuredContent !== undefined) return;
  const problem = `Tool ${name} has an output schema but did not return structured content`;
  throw new ToolOutputValidationError(problem, { toolName: name, reason: "missing", result });
}

function assertFits(name: string, check: JsonSchemaCheck, result: CallToolResult): undefined {
  assertStructured(name, result);
  const { issues } = check(result.structuredContent);
  if (issues === undefined) return;
  const problem = `Invalid structured content returned by tool ${name}: ${describeIssues(issues)}`;
  throw new ToolOutputValidationError(problem, { toolName: name, reason: "invalid", result, issues });
}
