/**
 * Follows files while a gateway runs. Of a configuration, servers are added, removed and restarted as the file says.
 *
 * A file that is wrong changes nothing; the fault is shown.
 */
import { watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { OneAtATime } from "../../../base/one-at-a-time.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import { loadConfig } from "../../../node/config/load-config.ts";

/** Milliseconds after the last change: editors write a file in several steps. */
const QUIET = 200;

/** Applies a changed configuration. Returns a function that stops it. */
export function followConfig(file: string, gateway: Gateway, note: (line: string) => void): () => void {
  return followFile(file, async () => {
    try {
      const { added, removed, changed } = await gateway.setServers(await loadConfig(resolve(file)));
      const parts = Object.entries({ added, removed, changed }).filter(([, names]) => names.length > 0);
      if (parts.length > 0) note(`${file}: ${parts.map(([what, names]) => `${what} ${names.join(", ")}`).join("; ")}`);
    } catch (error) {
      note(`${file} was not applied: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
}

/** Calls `apply` when a file has changed, once at a time. Returns a function that stops it. @param apply must not reject */
export function followFile(file: string, apply: () => Promise<void>): () => void {
  const path = resolve(file);
  const applying = new OneAtATime(apply);
  let timer: NodeJS.Timeout | undefined;
  // The folder is watched, because many editors replace the file.
  const watcher = watch(dirname(path), (_event, name) => {
    if (name !== null && name !== basename(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => applying.run(), QUIET);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
