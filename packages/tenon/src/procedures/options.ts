/** Options of `fromProcedures()`, and its report. */
import type { OptionKeys } from "../base/known-options.ts";
import type { ToolOptions } from "../server/features/tools.ts";
import type { ProcedureInfo } from "./procedure.ts";
import type { ToJsonSchema } from "./schemas.ts";

/** Options of {@link fromProcedures}. */
export interface ProcedureOptions<Path extends string = string> {
  /**
   * Which procedures become tools: their paths, or a function. Default: those whose metadata says `mcp`, as `meta({ mcp: true })` does.
   * Security: nothing else is exposed.
   */
  readonly include?: readonly Path[] | ((procedure: ProcedureInfo) => boolean);
  /** Names a tool; undefined keeps the default: the path, with `_` in the place of dots. 1 to 64 letters, digits, `_` or `-` (TypeError). */
  readonly name?: (procedure: ProcedureInfo) => string | undefined;
  /** Changes the description, the annotations or the scopes of a tool. Default: unchanged. */
  readonly map?: (tool: ToolOptions, procedure: ProcedureInfo) => ToolOptions;
  /** Makes the JSON Schema of a schema that has no converter, such as one of zod 3. Default: such a procedure is left out. */
  readonly toJsonSchema?: ToJsonSchema;
  /** Most tools; more are refused (RangeError), because a model chooses badly among many and pays for each. Default 100. */
  readonly maxTools?: number;
  /** Most values of a subscription: then it ends, and the result says so. Default 100. */
  readonly maxValues?: number;
}

export const PROCEDURE_OPTIONS: OptionKeys<ProcedureOptions> = { include: 1, name: 1, map: 1, toJsonSchema: 1, maxTools: 1, maxValues: 1 };

/** What became of one procedure. */
export interface ProcedureReportEntry {
  /** Its path: `posts.byId`. */
  readonly procedure: string;
  /** The name of its tool; absent if it is not a tool. */
  readonly tool?: string;
  /** Whether it is a tool. */
  readonly status: "tool" | "skipped";
  /** Why it was left out, or what of it is missing. */
  readonly why?: string;
}
