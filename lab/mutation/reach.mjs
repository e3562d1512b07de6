// Which test files run the code of which mutant. Every mutant's place reports to a file when a test runs it first, from the
// process of the tests and from those that they start.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";

const REPORT = "reached.txt";

/** Without line breaks, so that lines keep their numbers. `process` is missing in browsers. */
const prelude = (path) =>
  `const __reach: (id: string) => void = ((globalThis as any).__reach ??= ((seen: Set<string>) => (id: string) => {` +
  ` if (seen.has(id)) return; seen.add(id);` +
  ` (globalThis as any).process?.getBuiltinModule?.("node:fs").appendFileSync(${JSON.stringify(path)}, id + "\\n"); })(new Set()));`;

/** Bodies of functions and what else runs as a block: where code begins to run. */
function blocksOf(file, source) {
  const blocks = [];
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node?.type !== "string") return;
    if (node.type === "BlockStatement" || node.type === "FunctionBody" || node.type === "StaticBlock") blocks.push(node);
    for (const child of Object.values(node)) if (typeof child === "object" && child !== null) visit(child);
  };
  visit(parseSync(file, source).program);
  return blocks;
}

/** The source with a report at the begin of each block, named `file:start of the block`. */
export function instrumented(file, source, root) {
  let text = source;
  const starts = blocksOf(file, source).map(({ start }) => start);
  for (const start of starts.toSorted((a, b) => b - a)) {
    text = `${text.slice(0, start + 1)} __reach("${file}:${start}"); ${text.slice(start + 1)}`;
  }
  return `${prelude(join(root, REPORT))} __reach("${file}:0"); ${text}`;
}

/** The name of the innermost block around a mutant. */
export function blockOf(mutant, blocks) {
  let innermost = 0;
  for (const { start, end } of blocks) if (start < mutant.start && mutant.end <= end) innermost = Math.max(innermost, start);
  return `${mutant.file}:${innermost}`;
}

export { blocksOf };

/** What was reached since the last call. */
export function takeReached(root) {
  const path = join(root, REPORT);
  if (!existsSync(path)) return [];
  const reached = readFileSync(path, "utf8").split("\n").filter(Boolean);
  rmSync(path);
  return [...new Set(reached)];
}
