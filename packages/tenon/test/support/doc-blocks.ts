/**
 * The code blocks of a page, as its author marked them (CONTRIBUTING.md, "Writing a page"). Reads Markdown; compiles and runs
 * nothing.
 */

export interface CodeBlock {
  /** Where the block is written, relative to the page's folder: its title, or its line for a block without one. */
  readonly file: string;
  readonly code: string;
  /** The line of the page on which the code begins, counted from 1. */
  readonly line: number;
}

/** A command that the page shows, and what it prints. */
export interface ShownCommand {
  readonly command: string;
  readonly output: string;
  /** The folder in which it runs, relative to the page's folder. */
  readonly folder: string;
  readonly line: number;
}

export interface PageBlocks {
  readonly blocks: readonly CodeBlock[];
  readonly commands: readonly ShownCommand[];
  /** The text and the line of each `json` block. */
  readonly json: readonly { readonly code: string; readonly line: number }[];
}

const FENCE = /^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm;

export function readBlocks(markdown: string): PageBlocks {
  const blocks: CodeBlock[] = [];
  const commands: ShownCommand[] = [];
  const json: { code: string; line: number }[] = [];
  const titles = new Set<string>();
  let part = 0;
  for (const match of markdown.matchAll(FENCE)) {
    const [, language, info = "", code = ""] = match;
    const line = markdown.slice(0, match.index).split("\n").length + 1;
    const title = /\[([^\]]+)\]/.exec(info)?.[1];
    if (language === "json") json.push({ code, line });
    if (language === "ts" || (language === "json" && title !== undefined)) {
      // A title that was there before begins another program.
      if (title !== undefined && titles.has(`${part}/${title}`)) part += 1;
      titles.add(`${part}/${title}`);
      blocks.push({ file: `${part}/${title ?? `line-${line}.ts`}`, code, line });
    }
    if (/\boutput\b/.test(info)) commands.push(...shown(code, line, blocks.at(-1)));
  }
  return { blocks, commands, json };
}

/** The commands of an output block. One without a `$` line is what the block before it prints. */
function shown(code: string, line: number, program: CodeBlock | undefined): ShownCommand[] {
  const [, folder = "0", file = ""] = /^(\d+)\/(.*)$/.exec(program?.file ?? "") ?? [];
  if (!/^\$ /m.test(code)) return [{ command: `node ${file}`, output: code, folder, line }];
  const parts = code.split(/^\$ (.*)\n/m).slice(1);
  return parts.flatMap((command, index) => (index % 2 === 0 ? [{ command, output: parts[index + 1] ?? "", folder, line }] : []));
}

/** Whether a program printed what the page shows. `…` is any text within a line; a line of `…` alone is any number of lines. */
export function isShown(printed: string, output: string): boolean {
  const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const lines = output.trimEnd().split("\n");
  const patterns = lines.map((line) => (line.trim() === "…" ? "(?:.*\\n)*" : `${line.split("…").map(escaped).join(".*")}\\n`));
  return new RegExp(`^${patterns.join("")}$`).test(`${printed.trimEnd()}\n`);
}
