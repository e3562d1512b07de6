/**
 * Follows a configuration file while a gateway serves it: servers are added, removed and restarted as the file says.
 *
 * A file that is wrong changes nothing; the fault is shown.
 */
import { watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Gateway } from "../../../gateway/gateway.ts";
import type { Consent } from "./consent.ts";
import { loadConfig } from "../../../node/config/load-config.ts";

/** Milliseconds after the last change: editors write a file in several steps. */
const QUIET = 200;

/** What serves the file. */
interface Follower {
  readonly gateway: Gateway;
  readonly consent: Consent;
  note(line: string): void;
}

/** Returns a function that stops it. Programs that the user has not agreed to are left out, until the user agrees. */
export async function followConfig(file: string, { gateway, consent, note }: Follower): Promise<() => void> {
  const path = resolve(file);
  let timer: NodeJS.Timeout | undefined;
  let applying = Promise.resolve();
  const apply = async (): Promise<void> => {
    try {
      const { servers, refused } = await consent.allowed(await loadConfig(path));
      const { added, removed, changed } = await gateway.setServers(servers);
      const parts = Object.entries({ added, removed, changed }).filter(([, names]) => names.length > 0);
      if (parts.length > 0) note(`${file}: ${parts.map(([what, names]) => `${what} ${names.join(", ")}`).join("; ")}`);
      if (refused.length > 0)
        note(`${file}: not started, because you have not agreed: ${refused.join(", ")}. Run "tenon gateway check ${file}"`);
    } catch (error) {
      note(`${file} was not applied: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  // The folder is watched, because many editors replace the file.
  const applySoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      applying = applying.then(apply);
    }, QUIET);
  };
  const watcher = watch(dirname(path), (_event, name) => {
    if (name === null || name === basename(path)) applySoon();
  });
  const stopConsent = await consent.follow(applySoon);
  return () => {
    clearTimeout(timer);
    watcher.close();
    stopConsent();
  };
}
