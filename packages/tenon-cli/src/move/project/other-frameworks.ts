/** Other packages that servers are written with: what a move does for them, and the page that helps. */
import { UsageError } from "../../failure.ts";
import { OFFICIAL } from "../source/imports.ts";
import { allDependencies, type MovedProject } from "./project.ts";

/** Frameworks that use the official SDK 1.x below their own names, each with the page of its names. */
const ABOVE: Readonly<Record<string, string>> = {
  fastmcp: '"From fastmcp (npm)"',
  "mcp-framework": '"From other frameworks"',
  xmcp: '"From other frameworks"',
  "mcp-handler": '"From other frameworks"',
  "@vercel/mcp-adapter": '"From other frameworks"',
};
/** Packages that do not use it: their servers are rewritten by hand. */
const BESIDE: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/server": '"From the official TypeScript SDK"',
  tmcp: '"From other frameworks"',
  "mcp-lite": '"From other frameworks"',
};

/** What to say of a framework above the SDK; undefined if the project has none. */
export function frameworkNote(project: MovedProject): string | undefined {
  const found = Object.keys(ABOVE).find((name) => allDependencies(project.package).has(name));
  if (found === undefined) return undefined;
  return (
    `This server is written with ${found}, which uses the SDK 1.x: the override puts Tenon below ${found}, and its own names stay. ` +
    `The names of ${found} in Tenon are on the page ${ABOVE[found]} of the documentation.`
  );
}

/** @throws UsageError if nothing in the project uses the official SDK 1.x */
export function assertMovable(project: MovedProject): void {
  const { installed, member } = project;
  if (member === undefined && frameworkNote(project) === undefined) {
    const beside = Object.keys(BESIDE).find((name) => allDependencies(project.package).has(name));
    if (beside !== undefined)
      throw new UsageError(
        `This server is written with ${beside}, and not on ${OFFICIAL} 1.x. Its names in Tenon are on the page ${BESIDE[beside]} of the documentation.`,
      );
    if (installed === undefined)
      throw new UsageError(`The project does not depend on ${OFFICIAL}. Name the folder of a server that is written on it.`);
  }
  if (installed !== undefined && !installed.startsWith("1.") && !installed.startsWith("0."))
    throw new UsageError(`The project has ${OFFICIAL} ${installed}, and tenon move is for 1.x.`);
}
