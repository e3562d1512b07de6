/** The stack of an error as the author of a server reads it: the frames of the author's own files and libraries, without Tenon's and Node's. */

/** The folder of the compiled package, or of its source. */
const OWN = new URL("../..", import.meta.url).href;
const OWN_PATH = decodeURIComponent(new URL(OWN).pathname);

/** The whole stack, if it would otherwise have no frame. */
export function usersStack(error: Error): string {
  const lines = (error.stack ?? error.message).split("\n");
  const kept = lines.filter(
    (line) => !isFrame(line) || !(line.includes(OWN) || line.includes(OWN_PATH) || line.includes("node:internal/")),
  );
  return (kept.some(isFrame) ? kept : lines).join("\n");
}

function isFrame(line: string): boolean {
  return /^ +at /.test(line);
}
