/** Loads the author's file in a generation: by Node, whose hooks remove types on Node 20, and else by jiti. */
import { pathToFileURL } from "node:url";
import { loadFile } from "../../commands/server-file.ts";
import { readsTypeScript, TYPESCRIPT } from "../../commands/typescript.ts";

/** What only jiti can import: no extension, a folder, a name that is a type. Node finds these before any module has run. */
const UNLINKABLE: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "ERR_UNSUPPORTED_DIR_IMPORT", "ERR_UNKNOWN_FILE_EXTENSION"]);

/** @throws what the file throws */
export async function loadAuthorFile(path: string): Promise<Record<string, unknown>> {
  if (readsTypeScript() || !TYPESCRIPT.test(path)) return loadFile(path);
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>; // a module's namespace
  } catch (error) {
    if (!needsJiti(error)) throw error;
    return loadFile(path).catch(() => {
      throw error; // it says more of what Node lacks
    });
  }
}

function needsJiti(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return UNLINKABLE.has((error as NodeJS.ErrnoException).code) || /does not provide an export|require is not defined/.test(error.message);
}
