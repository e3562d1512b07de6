/**
 * Checks what tools answer against the output schemas they published.
 *
 * Schemas are learned from every `tools/list` that passes by. What compiles them, and looks up a tool that was never listed,
 * is loaded with the first answer that needs it (`output-validation.ts`).
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { CallToolResult, Tool } from "../../protocol/tools.ts";
import type { KnownTool, OutputFacts } from "./output-facts.ts";
import type { OutputValidation } from "./output-validation.ts";

/** Tools after which those that were learned before are forgotten, and looked up again where they are called. */
const MAX_TOOLS = 10_000;

export class OutputCheck {
  readonly #facts: OutputFacts;
  readonly #tools = new Map<string, KnownTool>();
  /** Tools that no list has, looked up and not found. */
  readonly #unlisted = new Set<string>();
  #validation: Promise<OutputValidation> | undefined;

  constructor(facts: OutputFacts) {
    this.#facts = facts;
  }

  /** A page of the list passed by (CS-57). A schema that did not change keeps what was compiled. */
  learn(tools: readonly Tool[]): void {
    if (this.#tools.size + this.#unlisted.size > MAX_TOOLS) this.forget();
    for (const { name, outputSchema } of tools) {
      const known = this.#tools.get(name);
      if (known === undefined || JSON.stringify(known.outputSchema) !== JSON.stringify(outputSchema))
        this.#tools.set(name, { outputSchema });
    }
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
    if (known?.accept !== undefined) return known.accept(result);
    if (known === undefined ? this.#unlisted.has(name) : known.outputSchema === undefined) return result;
    this.#validation ??= import("./output-validation.ts").then(
      ({ OutputValidation }) => new OutputValidation(this.#facts, this.#tools, this.#unlisted),
    );
    return this.#validation.then((validation) => validation.accept(name, result));
  }
}
