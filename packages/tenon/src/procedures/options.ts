/** Options of `fromProcedures()`, which procedures they choose, and the report. */
import type { OptionKeys } from "../base/known-options.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ToolOptions } from "../server/features/tools.ts";
import type { Procedure, ProcedureInfo, ProcedureSource } from "./procedure.ts";
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

// ---- which procedures become tools ----

/** The procedures that become tools. @throws TypeError if nothing is chosen, or what is not there */
export function chosenOf({ procedures, what, leftOut }: ProcedureSource<unknown>, { include }: ProcedureOptions): ReadonlySet<Procedure> {
  if (include !== undefined && typeof include !== "function") {
    const known = [...procedures.map(({ path }) => path), ...leftOut.map(({ procedure }) => procedure)];
    const unknown = include.find((path) => !known.includes(path));
    if (unknown !== undefined)
      throw new TypeError(`Option "include": ${what} has no procedure ${JSON.stringify(unknown)}. It has: ${shown(known)}`);
  }
  const isChosen = (procedure: Procedure): boolean =>
    include === undefined
      ? mcpOf(procedure) !== undefined
      : typeof include === "function"
        ? include(procedure)
        : include.includes(procedure.path);
  const chosen = new Set(procedures.filter(isChosen));
  if (chosen.size > 0 || (include !== undefined && typeof include !== "function" && include.length > 0)) return chosen;
  const late = leftOut.map(({ procedure, why }) => `${procedure}: ${why}`);
  const left = late.length === 0 ? "" : `. Left out: ${shown(late)}`;
  if (procedures.length === 0) throw new TypeError(`There is no procedure in ${what} that can become a tool${left}`);
  throw new TypeError(
    `None of the ${procedures.length} procedures of ${what} is chosen: give their metadata \`mcp: true\`, or name them in option "include". They are: ${shown(procedures.map(({ path }) => path))}${left}`,
  );
}

function shown(paths: readonly string[]): string {
  return `${paths.slice(0, 20).join(", ")}${paths.length > 20 ? ` and ${paths.length - 20} more` : ""}`;
}

/** What the metadata says about the tool; undefined if the procedure is not chosen by it. */
export function mcpOf({ meta }: ProcedureInfo): JsonObject | undefined {
  const mcp = isJsonObject(meta) ? meta["mcp"] : undefined;
  return mcp === true ? {} : isJsonObject(mcp) && mcp["enabled"] !== false ? mcp : undefined;
}
