/**
 * Follows files while a gateway runs. Of a configuration, servers are added, removed and restarted as the file says.
 *
 * A file that is wrong changes nothing; the fault is shown.
 */
import { watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { OneAtATime } from "../../../base/one-at-a-time.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import type { Consent } from "./consent.ts";
import { loadConfig } from "../../../node/config/load-config.ts";

/** Milliseconds after the last change: editors write a file in several steps. */
const QUIET = 200;

/** What serves a configuration. */
interface Follower {
  readonly gateway: Gateway;
  readonly consent: Consent;
  readonly note: (line: string) => void;
}

/**
 * Applies a changed configuration. Programs that the user has not agreed to are left out, until the user agrees.
 * Returns a function that stops it.
 */
export function followConfig(file: string, { gateway, consent, note }: Follower): () => void {
  const apply = async (): Promise<void> => {
    try {
      const { servers, refused } = await consent.allowed(await loadConfig(resolve(file)));
      const { added, removed, changed } = await gateway.setServers(servers);
      const parts = Object.entries({ added, removed, changed }).filter(([, names]) => names.length > 0);
      if (parts.length > 0) note(`${file}: ${parts.map(([what, names]) => `${what} ${names.join(", ")}`).join("; ")}`);
      if (refused.length > 0)
        note(`${file}: not started, because you have not agreed: ${refused.join(", ")}. Run "tenon gateway check ${file}"`);
    } catch (error) {
      note(`${file} was not applied: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const stops = [followFile(file, apply), followFile(consent.file, apply)];
  return () => stops.forEach((stop) => stop());
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
