/** Other packages that servers are written with: what a move does for them, and the page that helps. */
import { UsageError } from "../../failure.ts";
import { OFFICIAL } from "../source/imports.ts";
import { allDependencies, type MovedProject } from "./project.ts";

/** Frameworks by their packages, each with the page of its names. Some releases use the official SDK 1.x below, and others do not. */
const PAGES: Readonly<Record<string, string>> = {
  fastmcp: "From fastmcp (npm)",
  "mcp-framework": "From other frameworks",
  xmcp: "From other frameworks",
  "mcp-handler": "From other frameworks",
  "@vercel/mcp-adapter": "From other frameworks",
  tmcp: "From other frameworks",
  "mcp-lite": "From other frameworks",
  "@modelcontextprotocol/server": "From other frameworks",
};

/** The official SDK from 2.0 on. */
const NEWER = "@modelcontextprotocol/server";

function frameworkOf({ package: manifest }: MovedProject): string | undefined {
  return Object.keys(PAGES).find((name) => allDependencies(manifest).has(name));
}

/** What to say of a framework above the SDK 1.x; undefined if the project has none. */
export function frameworkNote(project: MovedProject): string | undefined {
  const found = frameworkOf(project);
  if (found === undefined || found === NEWER || project.installed === undefined) return undefined; // 2.x stands beside it, and not on it
  return (
    `This server is written with ${found}, which uses the SDK 1.x: the override puts Tenon below ${found}, and its own names stay. ` +
    `--native rewrites only what is written on the SDK itself. The names of ${found} in Tenon are on the page "${PAGES[found]}" of the documentation.`
  );
}

/** @throws UsageError if nothing in the project uses the official SDK 1.x */
export function assertMovable(project: MovedProject): void {
  const { installed, member } = project;
  if (member === undefined && installed === undefined) {
    const found = frameworkOf(project);
    if (found === NEWER)
      throw new UsageError(
        `This server is written with ${found} 2.x, which has no layer: npm install tenon, and tenon move --native rewrites the files that it knows as a whole. ` +
          `The names of ${found} in Tenon are on the page "${PAGES[found]}" of the documentation.`,
      );
    if (found !== undefined)
      throw new UsageError(
        `This server is written with ${found}, and ${OFFICIAL} 1.x is not installed below it. ` +
          `If nothing is installed yet, install first. The names of ${found} in Tenon are on the page "${PAGES[found]}" of the documentation.`,
      );
    throw new UsageError(`The project does not depend on ${OFFICIAL}. Name the folder of a server that is written on it.`);
  }
  if (installed !== undefined && !/^[01]\./.test(installed))
    throw new UsageError(`The project has ${OFFICIAL} ${installed}, and tenon move is for 1.x.`);
}
