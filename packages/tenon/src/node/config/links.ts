/** The symbolic links on the way to a file: another target of one of them is another file, as Kubernetes and deployments by release do it. */
import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join, parse, resolve, sep } from "node:path";

/** Most links of one path, as of Linux. More are a circle. */
const MAX_LINKS = 40;

/** The links on the way, and the file that they lead to, each as a path without links before its last name. */
export function linksOf(path: string): string[] {
  const found: string[] = [];
  let [at, rest] = split(resolve(path));
  while (rest.length > 0) {
    const next = join(at, rest[0]!);
    const target = found.length < MAX_LINKS ? targetOf(next) : undefined;
    if (target === undefined) [at, rest] = [next, rest.slice(1)];
    else {
      found.push(next);
      const [start, names] = split(resolve(dirname(next), target));
      [at, rest] = [start, [...names, ...rest.slice(1)]];
    }
  }
  return [...found, at];
}

/** Undefined if it is no link, or does not exist. */
function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined; // what does not exist may come
  }
}

function split(path: string): [root: string, names: string[]] {
  const { root } = parse(path);
  return [root, path.slice(root.length).split(sep).filter(Boolean)];
}
