/**
 * What is written into a project: the layer in the place of the official SDK, for the packages that the project names and for those that
 * its packages name, as each package manager reads it.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { applyEdits, modify } from "jsonc-parser/lib/esm/main.js";
import { OFFICIAL } from "../source/imports.ts";
import type { LayerPlaces } from "./places.ts";
import { LOCKS, type MovedProject } from "./project.ts";

/** The new text of a file, by its name in the project. */
export type Edits = ReadonlyMap<string, string>;

const WORKSPACE = "pnpm-workspace.yaml";

/** The files that a move may write, or that installing may. */
export function filesOf({ manager, up }: Pick<MovedProject, "manager" | "up">): readonly string[] {
  const above = ["package.json", ...LOCKS[manager], ...(manager === "pnpm" ? [WORKSPACE] : [])].map((name) => up + name);
  return [...new Set(["package.json", ...above])];
}

/** @param readsWorkspace whether the manager is a pnpm that reads overrides in `pnpm-workspace.yaml` only (from 10 on) */
export function editsOf(project: MovedProject, places: LayerPlaces, readsWorkspace: boolean): Edits {
  const { manager, member, root, up } = project;
  const overrides = { [OFFICIAL]: places.layer, tenon: places.tenon };
  let { text } = project;
  if (member !== undefined && member !== "peerDependencies") text = withMember(text, [member, OFFICIAL], places.layer);
  text = withMember(text, [member === "devDependencies" ? member : "dependencies", "tenon"], places.tenon);
  if (manager !== "pnpm" || !readsWorkspace) {
    const path = manager === "pnpm" ? ["pnpm", "overrides"] : [manager === "yarn" ? "resolutions" : "overrides"];
    let above = up === "" ? text : readFileSync(join(root, "package.json"), "utf8");
    for (const [name, place] of Object.entries(overrides)) above = withMember(above, [...path, name], place);
    return new Map([
      ["package.json", text],
      [`${up}package.json`, above],
    ]);
  }
  const path = join(root, WORKSPACE);
  const workspace = existsSync(path) ? readFileSync(path, "utf8") : "";
  return new Map([
    ["package.json", text],
    [up + WORKSPACE, withOverrides(workspace, overrides)],
  ]);
}

/** Puts one member in, and leaves the layout of the rest. */
function withMember(text: string, path: string[], value: string): string {
  const [, indent = "  "] = /^\{\s*?\n([ \t]+)/.exec(text.replace(/^\uFEFF/, "")) ?? [];
  const formattingOptions = { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length, eol: text.includes("\r\n") ? "\r\n" : "\n" };
  return applyEdits(text, modify(text, path, value, { formattingOptions }));
}

/** Puts entries below `overrides:`. Only that line is read: what else a workspace says stays as it is. */
function withOverrides(text: string, overrides: Readonly<Record<string, string>>): string {
  const lines = Object.entries(overrides).map(([name, place]) => `  ${JSON.stringify(name)}: ${JSON.stringify(place)}\n`);
  const at = /^overrides:[ \t]*\r?\n/m.exec(text);
  if (at === null) return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}overrides:\n${lines.join("")}`;
  const end = at.index + at[0].length;
  return text.slice(0, end) + lines.join("") + text.slice(end);
}
