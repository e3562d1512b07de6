/** Which procedures of a router become tools: those that an option names, or that their metadata chooses. */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Procedure, ProcedureInfo, ProcedureSource } from "./procedure.ts";
import type { ProcedureOptions } from "./options.ts";

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
