/**
 * The tools of a source for one profile: adapted definitions, and calls of what a model wants. The functions for each provider put their
 * own form around it.
 */
import { parseExact, withIntegersAsText } from "../jsonrpc/exact-numbers.ts";
import { unlessAborted } from "../base/abort.ts";
import { decisionOf } from "../base/decision.ts";
import { assertKnown } from "../base/known-options.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { ToolOutputValidationError } from "../client/errors.ts";
import type { Progress } from "../dispatch/dispatcher.ts";
import type { CallToolResult, Tool } from "../protocol/tools.ts";
import { adaptSchema, type AdaptedSchema } from "./adapt-schema.ts";
import { MODEL_TOOL_OPTIONS, RUN_OPTIONS, type ModelCall, type ModelToolOptions, type RunOptions, type ToolNote } from "./options.ts";
import { errorOutcome, messageOf, partsOf, withoutHalves, type Outcome } from "./outcome.ts";
import type { ModelProfile } from "./schema/profile.ts";
import { modelName } from "./tool-names.ts";
import { toolsOf, type ToolSource } from "./tool-source.ts";

/** One tool, as a provider's API takes it. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly schema: AdaptedSchema["schema"];
  readonly strict: boolean;
}

/** A call as a model wrote it. `input`: an object, or its JSON text. */
export interface RawCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

interface KitTool {
  readonly name: string;
  readonly tool: Tool;
  readonly definition: Definition;
  readonly adapted: AdaptedSchema;
}

export interface Profiles {
  readonly usual: ModelProfile;
  readonly strict?: ModelProfile;
}

const DEFAULT_CONCURRENCY = 4;

export class ToolKit {
  readonly #source: ToolSource;
  readonly #options: ModelToolOptions;
  readonly #profiles: Profiles;
  #entries: ReadonlyMap<string, KitTool> = new Map();
  #notes: readonly ToolNote[] = [];

  private constructor(source: ToolSource, profiles: Profiles, options: ModelToolOptions) {
    this.#source = source;
    this.#profiles = profiles;
    this.#options = options;
  }

  /** @throws TypeError for an unknown option; RangeError for a limit out of range; what listing the tools throws */
  static async of(source: ToolSource, profiles: Profiles, options: ModelToolOptions, caller: string): Promise<ToolKit> {
    assertKnown(`${caller}()`, options, MODEL_TOOL_OPTIONS);
    for (const limit of ["maxText", "maxMedia"] as const) assertCount(limit, options[limit] ?? 1);
    const kit = new ToolKit(source, profiles, options);
    await kit.refresh();
    return kit;
  }

  get notes(): readonly ToolNote[] {
    return this.#notes;
  }

  get definitions(): readonly Definition[] {
    return [...this.#entries.values()].map(({ definition }) => definition);
  }

  async refresh(): Promise<void> {
    const { pick = () => true, onNote } = this.#options;
    const usual = this.#options.profile ?? this.#profiles.usual;
    const entries = new Map<string, KitTool>();
    const notes: ToolNote[] = [];
    for (const [name, tool] of await toolsOf(this.#source)) {
      if (!decisionOf('The option "pick"', pick(name, tool), "load what it needs before")) continue;
      const shown = modelName(name, usual, entries);
      const { adapted, strict } = this.#adapt(name, tool, usual, notes);
      const description = tool.description ?? tool.title ?? name;
      const definition = withoutHalves({ name: shown, description, schema: adapted.schema, strict });
      entries.set(shown, { name, tool, adapted, definition });
    }
    const { maxTools } = usual;
    if (maxTools !== undefined && entries.size > maxTools) {
      notes.push({
        tool: "",
        path: "",
        keyword: "tools",
        action: "dropped",
        from: `${entries.size} tools; "${usual.id}" takes ${maxTools}: use "pick"`,
      });
      for (const shown of [...entries.keys()].slice(maxTools)) entries.delete(shown);
    }
    this.#entries = entries;
    this.#notes = notes;
    for (const note of notes) onNote?.(note);
  }

  #adapt(name: string, { inputSchema }: Tool, usual: ModelProfile, notes: ToolNote[]): { adapted: AdaptedSchema; strict: boolean } {
    const { strict: profile } = this.#profiles;
    const wanted = this.#options.strict === true && profile !== undefined ? adaptSchema(inputSchema, profile) : undefined;
    if (wanted !== undefined && !wanted.strict)
      notes.push({ tool: name, path: "", keyword: "strict", action: "dropped", from: profile!.id });
    const adapted = wanted?.strict === true ? wanted : adaptSchema(inputSchema, usual);
    notes.push(...adapted.notes.map((note) => ({ tool: name, ...note })));
    return { adapted, strict: wanted?.strict === true };
  }

  shownName(name: string): string {
    for (const [shown, entry] of this.#entries) if (entry.name === name) return shown;
    return modelName(name, this.#options.profile ?? this.#profiles.usual, new Map());
  }

  // ---- calls ----

  /** The call as the tool's server knows it. */
  toModelCall({ id, name, input }: RawCall): ModelCall & { readonly problem?: string } {
    const entry = this.#entries.get(name);
    const parsed = parse(input);
    if (entry === undefined) return { id, name, arguments: parsed ?? {}, tool: undefined, problem: `Unknown tool: ${name}` };
    const known = { id, name: entry.name, tool: entry.tool };
    if (parsed === undefined) return { ...known, arguments: {}, problem: "The arguments are not a JSON object" };
    return { ...known, arguments: entry.adapted.restore(parsed) };
  }

  /**
   * Makes all calls, and resolves with one outcome for each, in their order. Never rejects for a call: a failure is an outcome.
   * @throws TypeError (rejects) for an unknown option; RangeError if `concurrency` is not a whole number above 0
   */
  async run(calls: readonly RawCall[], options: RunOptions = {}): Promise<readonly Outcome[]> {
    assertKnown("run()", options, RUN_OPTIONS);
    const concurrency = assertCount("concurrency", options.concurrency ?? DEFAULT_CONCURRENCY);
    const outcomes: Outcome[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < calls.length; index = next++) outcomes[index] = await this.#outcome(calls[index]!, options);
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, calls.length) }, work));
    return outcomes;
  }

  async #outcome(raw: RawCall, options: RunOptions): Promise<Outcome> {
    const call = this.toModelCall(raw);
    const refused = (message: string): Outcome => errorOutcome(raw.id, raw.name, message);
    if (call.problem !== undefined) return refused(call.problem);
    const { signal } = options;
    if (signal?.aborted) return refused("Cancelled");
    try {
      return await unlessAborted(this.#call(raw, call, options), signal); // also if a callback of the user still runs
    } catch (error) {
      return refused(signal?.aborted ? "Cancelled" : messageOf(error));
    }
  }

  async #call(raw: RawCall, call: ModelCall, { signal, approve, timeout, onProgress }: RunOptions): Promise<Outcome> {
    if (approve !== undefined && !(await approve(call))) return errorOutcome(raw.id, raw.name, "The user refused this call");
    const options = {
      ...(signal !== undefined && { signal }),
      ...(timeout !== undefined && { timeout }),
      ...(onProgress !== undefined && { onProgress: (progress: Progress) => onProgress(progress, call) }),
    };
    const { result, fault } = await this.#source
      .callTool(call.name, call.arguments, options)
      .then((whole) => ({ result: whole, fault: undefined }), faulty);
    const { maxText = 100_000, maxMedia = 10_000_000, readLinks = false } = this.#options;
    const parts = await partsOf(result, { maxText, maxMedia, readLinks }, this.#source, signal);
    const isError = result.isError === true;
    if (fault !== undefined)
      return { id: raw.id, name: raw.name, parts: [...parts, { kind: "text", text: `[${fault}]` }], structured: undefined, isError };
    return { id: raw.id, name: raw.name, parts, structured: withoutHalves(withIntegersAsText(result.structuredContent)), isError };
  }
}

/** A result that its own output schema does not allow is of use to a model, which also reads what is wrong. @throws any other error */
function faulty(error: unknown): { readonly result: CallToolResult; readonly fault: string } {
  if (!(error instanceof ToolOutputValidationError)) throw error;
  return { result: error.result, fault: error.message };
}

/** Arguments as an object; undefined if they are not one. No arguments at all are an empty object. Some models write the text as a text. */
function parse(input: unknown): JsonObject | undefined {
  if (input === undefined || input === null || input === "") return {};
  const value = valueIn(valueIn(input));
  return isJsonObject(value) ? value : undefined;
}

/** The value of a JSON text, with all digits of its numbers; undefined if it is not JSON. Another value is returned unchanged. */
function valueIn(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** @throws RangeError if the value is not a whole number above 0 */
export function assertCount(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new RangeError(`"${name}" must be a whole number above 0: ${value}`);
}
