/**
 * Follows files while a gateway runs. Of a configuration, servers are added, removed and restarted as the file says, and as the files of its
 * secrets say.
 *
 * A file that is wrong changes nothing; the fault is shown.
 */
import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { OneAtATime } from "tenon/internal";
import type { Gateway, GatewayEntries, Policy, ServerChanges } from "tenon/gateway";
import type { TextSink } from "tenon/node";
import type { KnownCredentials } from "./settings/credentials.ts";
import type { AskConsent, Consent } from "../../consent/consent.ts";
import { loadGatewayConfig, textOf, type LoadedConfig } from "./loaded-config.ts";
import type { GatewaySettings } from "./settings/settings.ts";
import type { Shell } from "../../shell.ts";
import { watchFolder, WatchedFiles } from "./watched-files.ts";

interface Follower {
  readonly shell: Shell;
  readonly gateway: Gateway;
  readonly consent: Consent;
  readonly note: (line: string) => void;
  readonly served: LoadedConfig;
  readonly credentials: KnownCredentials;
  /** Makes what gets the errors of a program. */
  readonly output: () => TextSink;
  /** Whether a setting of the file has an effect when the gateway starts: what was typed on the command line replaces some. */
  readonly isUsed: (setting: string) => boolean;
  readonly policyOf: (settings: GatewaySettings) => Policy | undefined;
  /** Takes what else takes effect at once: callers, bundles. */
  readonly onApplied: (settings: GatewaySettings) => void;
}

/**
 * Applies a changed configuration. Programs that the user has not agreed to are left out, until the user agrees.
 * Returns a function that stops it.
 */
export function followConfig(file: string, follower: Follower): () => void {
  const followed = new FollowedConfig(resolve(follower.shell.cwd, file), file, follower);
  return () => followed.stop();
}

class FollowedConfig {
  readonly #path: string;
  readonly #name: string;
  readonly #follower: Follower;
  readonly #applying = new OneAtATime(() => this.#apply());
  readonly #stops: (() => void)[];
  /** The file with its links, and the files of its secrets. */
  readonly #files: WatchedFiles;
  #applied: LoadedConfig;
  /** The settings that wait for the next start, as the operator was told of them. */
  #waiting: ReadonlyMap<string, string | undefined> = new Map();
  /** The fault that the operator was told of, with the version of the file that has it. */
  #told = "";
  #stopped = false;

  constructor(path: string, name: string, follower: Follower) {
    this.#path = path;
    this.#name = name;
    this.#follower = follower;
    this.#applied = follower.served;
    this.#files = new WatchedFiles(() => this.#applying.run(), notFollowed(follower.note));
    this.#stops = [path, follower.consent.file].map((file) =>
      watchFolder(
        dirname(file),
        (name) => name === basename(file),
        () => this.#applying.run(),
      ),
    );
    this.#applying.run(); // what changed since it was read, and the files of the secrets
  }

  stop(): void {
    this.#stopped = true;
    for (const stop of this.#stops) stop();
    this.#files.stop();
  }

  async #apply(): Promise<void> {
    const version = this.#version();
    const fault = await this.#faultOf();
    if (version !== this.#version()) return; // it is another file by now, which is applied next
    const told = fault === undefined ? "" : `${version} ${fault}`;
    if (fault !== undefined && told !== this.#told) this.#follower.note(this.#name + fault); // a save makes several events
    this.#told = told;
  }

  #version(): number | undefined {
    return statSync(this.#path, { throwIfNoEntry: false })?.mtimeMs;
  }

  /** Applies the file. Resolves with what the operator must know of it; undefined if all is served. */
  async #faultOf(): Promise<string | undefined> {
    try {
      const refused: string[] = [];
      await this.#serve(await this.#load(refused));
      if (refused.length === 0) return undefined;
      return `: not started, because you have not agreed: ${refused.join(", ")}. Run "tenon gateway check ${this.#name}"`;
    } catch (error) {
      return ` was not applied, so the callers and servers of before still count: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /** @param refused gets the names of the servers that are left out */
  async #load(refused: string[]): Promise<LoadedConfig> {
    const files = new Set([this.#path]);
    try {
      const { shell, consent } = this.#follower;
      const without: AskConsent = async (demands) => {
        const names = await consent.refusedOf(demands);
        refused.push(...names);
        return names;
      };
      return await loadGatewayConfig(this.#path, { shell, consent: without, onFile: (path) => files.add(path) });
    } finally {
      this.#files.set(files);
    }
  }

  async #serve(next: LoadedConfig): Promise<void> {
    if (this.#stopped || textOf(next) === textOf(this.#applied)) return;
    const { credentials, output, note } = this.#follower;
    const { servers, settings } = next;
    const before = this.#applied.settings;
    const { added, removed, changed } = await this.#change(settings, settings.entries(servers, credentials, output));
    this.#applied = next;
    this.#follower.onApplied(settings);
    const parts = Object.entries({ added, removed, changed }).filter(([, names]) => names.length > 0);
    if (parts.length > 0) note(`${this.#name}: ${parts.map(([what, names]) => `${what} ${names.join(", ")}`).join("; ")}`);
    else if (settings.liveText !== before.liveText) note(`${this.#name}: the settings were applied, and no server was restarted`);
    this.#tellOfLate(settings);
  }

  /** Tells once of each setting that is not as it was when the gateway started, and nothing if it is so again. */
  #tellOfLate(settings: GatewaySettings): void {
    const { served, isUsed, note } = this.#follower;
    const [first, next] = [served.settings.startTexts, settings.startTexts];
    const names = [...new Set([...first.keys(), ...next.keys()])].filter((name) => isUsed(name) && first.get(name) !== next.get(name));
    const isNew = (name: string): boolean => !this.#waiting.has(name) || this.#waiting.get(name) !== next.get(name);
    const untold = names.filter(isNew);
    this.#waiting = new Map(names.map((name) => [name, next.get(name)]));
    if (untold.length > 0) note(`${this.#name}: takes effect when the gateway starts again: ${untold.join(", ")}`);
  }

  /** Servers that are refused stay as they were, and so do the rules and quotas about them. @throws as `setServers` */
  async #change(settings: GatewaySettings, entries: GatewayEntries): Promise<ServerChanges> {
    const { gateway, policyOf } = this.#follower;
    const before = this.#applied.settings;
    gateway.setPolicy(policyOf(settings));
    gateway.setQuotas(settings.quotas);
    try {
      return await gateway.setServers(entries);
    } catch (error) {
      gateway.setPolicy(policyOf(before));
      gateway.setQuotas(before.quotas);
      throw error;
    }
  }
}

/**
 * Calls `apply` when a file has changed, once at a time. Links on the way are followed. Returns a function that stops it.
 * @param path its absolute path
 * @param apply must not reject
 */
export function followFile(path: string, apply: () => Promise<void>, note: (line: string) => void): () => void {
  const applying = new OneAtATime(async () => {
    files.set([path]); // before it is read: a link that changes meanwhile is seen
    await apply();
  });
  const files = new WatchedFiles(() => applying.run(), notFollowed(note));
  files.set([path]);
  return () => files.stop();
}

function notFollowed(note: (line: string) => void): (folder: string, error: unknown) => void {
  return (folder, error) => note(`${folder} cannot be followed: ${error instanceof Error ? error.message : String(error)}`);
}
