/**
 * Checks what tools answer against the output schemas they published.
 *
 * Schemas are learned from every `tools/list` that passes by; a tool that was never listed is looked up once. They are
 * compiled when first needed and forgotten when the list changes.
 */
import { isPromise, type MaybePromise } from "../jsonrpc/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { CallToolResult, Tool } from "../protocol/tools.ts";
import type { JsonSchemaCheck, JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import { describeIssues } from "../schema/standard-schema.ts";
import { ToolOutputValidationError } from "./errors.ts";

/** What is known of one tool's output. */
interface KnownTool {
  readonly outputSchema: JsonObject | undefined;
  check?: MaybePromise<JsonSchemaCheck>;
}

export class OutputCheck {
  readonly #validator: JsonSchemaValidator;
  /** Lists tools until `name` is found, at most once through. */
  readonly #lookUp: (name: string) => Promise<void>;
  readonly #report: (error: Error) => void;
  readonly #tools = new Map<string, KnownTool>();
  readonly #unlisted = new Set<string>();
  /** One after the other: what one look-up learns, the next need not ask for. */
  #lookUps: Promise<void> = Promise.resolve();

  constructor(validator: JsonSchemaValidator, lookUp: (name: string) => Promise<void>, report: (error: Error) => void) {
    this.#validator = validator;
    this.#lookUp = lookUp;
    this.#report = report;
  }

  /** A page of the list passed by (CS-57). A schema that did not change keeps what was compiled. */
  learn(tools: readonly Tool[]): void {
    for (const { name, outputSchema } of tools) {
      const known = this.#tools.get(name);
      if (known === undefined || JSON.stringify(known.outputSchema) !== JSON.stringify(outputSchema))
        this.#tools.set(name, { outputSchema });
    }
  }

  knows(name: string): boolean {
    return this.#tools.has(name);
  }

  /** The list changed: what was learned may be wrong. */
  forget(): void {
    this.#tools.clear();
    this.#unlisted.clear();
  }

  /** @throws ToolOutputValidationError */
  accept(name: string, result: CallToolResult): MaybePromise<CallToolResult> {
    if (result.isError === true) return result;
    const known = this.#tools.get(name);
    if (known !== undefined) return this.#check(name, known, result);
    return this.#unlisted.has(name) ? result : this.#acceptAfterLookUp(name, result);
  }

  async #acceptAfterLookUp(name: string, result: CallToolResult): Promise<CallToolResult> {
    await (this.#lookUps = this.#lookUps.then(() => this.#find(name)));
    const known = this.#tools.get(name);
    return known === undefined ? result : this.#check(name, known, result);
  }

  async #find(name: string): Promise<void> {
    if (this.#tools.has(name) || this.#unlisted.has(name)) return;
    try {
      await this.#lookUp(name);
    } catch (error) {
      // A server without a list does not turn a success into a failure (CS-51).
      this.#report(error instanceof Error ? error : new Error(String(error)));
    }
    if (this.#tools.has(name)) return;
    this.#unlisted.add(name);
    this.#report(new Error(`Tool ${name} not listed by server, cannot validate any structured content`));
  }

  #check(name: string, known: KnownTool, result: CallToolResult): MaybePromise<CallToolResult> {
    if (known.outputSchema === undefined) return result;
    if (result.structuredContent === undefined) {
      throw new ToolOutputValidationError(
        name,
        "missing",
        `Tool ${name} has an output schema but did not return structured content`,
        result,
      );
    }
    const check = (known.check ??= this.#compile(name, known.outputSchema, result));
    if (!isPromise(check)) return verdict(name, check, result);
    return check.then(
      (compiled) => {
        known.check = compiled;
        return verdict(name, compiled, result);
      },
      (cause: unknown) => {
        delete known.check;
        throw unusable(name, result, cause);
      },
    );
  }

  #compile(name: string, schema: JsonObject, result: CallToolResult): MaybePromise<JsonSchemaCheck> {
    try {
      return this.#validator.compile(schema);
    } catch (cause) {
      throw unusable(name, result, cause);
    }
  }
}

function verdict(name: string, check: JsonSchemaCheck, result: CallToolResult): CallToolResult {
  const { issues } = check(result.structuredContent);
  if (issues === undefined) return result;
  throw new ToolOutputValidationError(
    name,
    "invalid",
    `Invalid structured content returned by tool ${name}: ${describeIssues(issues)}`,
    result,
    issues,
  );
}

function unusable(name: string, result: CallToolResult, cause: unknown): ToolOutputValidationError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new ToolOutputValidationError(name, "schema", `Invalid schema for tool ${name}: ${detail}`, result, [], { cause });
}
