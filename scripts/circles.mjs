// Fails when files of a package's `src/` import each other in a circle. Types count as imports: two files that know each other's types
// can only be read together. Dynamic imports count as well. Tests beside the code are free.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { importsOf, sourceFiles } from "./imports.mjs";
import { repository } from "./places.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = resolve(process.argv[2] ?? repository);
const folders = ["tenon", "tenon-cli", "sdk-v1"].map((name) => join(root, "packages", name, "src")).filter((folder) => existsSync(folder));
const graph = new Map(folders.flatMap(sourceFiles).map((file) => [file, neighbours(file)]));

function neighbours(file) {
  const specifiers = importsOf(readFileSync(file, "utf8")).filter((specifier) => specifier.startsWith("."));
  return [...new Set(specifiers.map((specifier) => resolve(dirname(file), specifier)))].filter((other) => other !== file);
}

/** The groups of files that reach each other (Tarjan's strongly connected components), those of one file left out. */
function circles() {
  const order = new Map();
  const lowest = new Map();
  const stack = [];
  const found = [];
  function visit(file) {
    order.set(file, order.size);
    lowest.set(file, order.get(file));
    stack.push(file);
    for (const other of graph.get(file) ?? []) {
      if (!order.has(other)) visit(other);
      if (stack.includes(other)) lowest.set(file, Math.min(lowest.get(file), lowest.get(other)));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group);
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** A shortest way from the first file of a group back to itself. */
function wayAround([start], group) {
  const from = new Map();
  const queue = [start];
  for (const file of queue) {
    for (const other of (graph.get(file) ?? []).filter((name) => group.includes(name))) {
      if (other === start) return [...wayTo(file, from), start];
      if (from.has(other)) continue;
      from.set(other, file);
      queue.push(other);
    }
  }
  return group;
}

function wayTo(file, from) {
  return from.has(file) ? [...wayTo(from.get(file), from), file] : [file];
}

const found = circles();
for (const group of found) {
  const way = wayAround(group, group).map((file) => relative(root, file));
  console.error(`import circle of ${group.length} files: ${way.join(" → ")}`);
}
if (found.length > 0) process.exit(1);
console.log(`circles: none in ${graph.size} files`);
