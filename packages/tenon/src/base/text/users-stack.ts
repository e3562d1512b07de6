/**
 * The stack of an error as the author of a server reads it: the frames of the author's own files and libraries, without frames of Tenon, its
 * command and Node.
 */

const FOLDER = /(file:\/\/)?((?:[A-Za-z]:)?[\\/].*[\\/]tenon[\\/](?:dist|src)[\\/])/;
const COMMAND = /\/tenon-cli\/(?:dist|src)\//;

/** Found with the first stack that is shown: for a stack of a module V8 reads its whole text once more. */
let own: readonly string[] | undefined;

/**
 * The folder of the compiled package, or of its source, as frames write it: the first frame of a stack that is made here names this file.
 * `import.meta` would not do: test runners load the package as CommonJS. None in a bundle, whose frames are all the author's.
 */
function findOwn(): readonly string[] {
  const [, scheme, folder] = FOLDER.exec(new Error("Where is this?").stack?.split("\n")[1] ?? "") ?? [];
  if (folder === undefined) return [];
  return scheme === undefined ? [folder] : [folder, decodeURIComponent(folder)];
}

/** The whole stack, if it would otherwise have no frame. */
export function usersStack(error: Error): string {
  const lines = (error.stack ?? error.message).split("\n");
  const ownLines = lines.filter((line) => !isFrame(line) || !isForeign(line));
  return (ownLines.some(isFrame) ? ownLines : lines).join("\n");
}

/** The error with {@link usersStack}, for the console, which shows its reason and its members, too. */
export function withUsersStack(error: Error): Error {
  const stack = usersStack(error);
  const cause = error.cause instanceof Error ? withUsersStack(error.cause) : error.cause;
  if (stack === error.stack && cause === error.cause) return error;
  const shown = new Error(error.message);
  Object.setPrototypeOf(shown, Object.getPrototypeOf(error) as object);
  const hidden = { configurable: true, writable: true, enumerable: false };
  Object.defineProperties(shown, { ...Object.getOwnPropertyDescriptors(error), stack: { value: stack, ...hidden } });
  if (cause !== undefined) Object.defineProperty(shown, "cause", { value: cause, ...hidden });
  return shown;
}

function isFrame(line: string): boolean {
  return /^ +at /.test(line);
}

function isForeign(line: string): boolean {
  if (/[( ]node:/.test(line) || COMMAND.test(line)) return true;
  return (own ??= findOwn()).some((folder) => line.includes(folder));
}
