/**
 * Follows a configuration file while a gateway serves it: servers are added, removed and restarted as the file says.
 *
 * A file that is wrong changes nothing; the fault is shown.
 */
import { watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Gateway } from "../../../gateway/gateway.ts";
import { loadConfig } from "../../../node/config/load-config.ts";

/** Milliseconds after the last change: editors write a file in several steps. */
const QUIET = 200;

/** Returns a function that stops it. */
export function followConfig(file: string, gateway: Gateway, note: (line: string) => void): () => void {
  const path = resolve(file);
  let timer: NodeJS.Timeout | undefined;
  let applying = Promise.resolve();
  const apply = async (): Promise<void> => {
    try {
      const { added, removed, changed } = await gateway.setServers(await loadConfig(path));
      const parts = Object.entries({ added, removed, changed }).filter(([, names]) => names.length > 0);
      if (parts.length > 0) note(`${file}: ${parts.map(([what, names]) => `${what} ${names.join(", ")}`).join("; ")}`);
    } catch (error) {
      note(`${file} was not applied: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  // The folder is watched, because many editors replace the file.
  const watcher = watch(dirname(path), (_event, name) => {
    if (name !== null && name !== basename(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      applying = applying.then(apply);
    }, QUIET);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
