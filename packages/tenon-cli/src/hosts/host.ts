/**
 * What a host is to `tenon install`: where its configuration is on each operating system, in which format, and how it names
 * the fields of a server. `known-hosts.ts` holds the hosts.
 */
import { posix, win32 } from "node:path";
import type { Entry, HostForm, HostUrl } from "tenon/internal";

export type { Entry, HostUrl } from "tenon/internal";

/** The machine on which a host runs. Its paths follow from this alone, so that a test can ask for any. */
export interface Machine {
  readonly platform: string;
  readonly home: string;
  readonly env: { readonly [name: string]: string | undefined };
}

/** Whether the configuration is for all of the user's work, or for one project. */
export type Scope = "user" | "project";

/** A server as all hosts need it: a program, or a URL. */
export type HostServer = HostProgram | HostUrl;

export interface HostProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Values that are written into the file. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the host passes on from its own environment. */
  readonly references: readonly string[];
}

export interface Host extends HostForm {
  /** The file for all of the user's work. */
  userFile(machine: Machine): string;
  /** The file in a project, from its folder; undefined if the host has none. */
  readonly projectFile: string | undefined;
  /** Names the folder of the project in a project file. Default: the host starts servers in that folder. */
  readonly folderVariable?: string;
  /** Writes a reference to a variable of the host's environment; undefined if the host has no references. */
  readonly reference?: (name: string) => string;
  /** The fields of an entry that the host needs beside the usual ones. */
  readonly program?: Entry;
  /** Whether the host is started with a window: it then lacks the `PATH` of a terminal. */
  readonly hasWindow: boolean;
  /** What the user has to do so that a new entry takes effect. */
  readonly effect: string;
  /** A danger that the user must know before the file is written. */
  readonly warning?: string;
}

/** Joins as the machine's operating system does. */
export function joinOn({ platform }: Machine, ...parts: readonly string[]): string {
  return (platform === "win32" ? win32 : posix).join(...parts);
}

/** The folder in which programs with a window keep their settings. */
export function settingsFolder(machine: Machine): string {
  const { platform, home, env } = machine;
  if (platform === "win32") return env["APPDATA"] || joinOn(machine, home, "AppData", "Roaming");
  if (platform === "darwin") return joinOn(machine, home, "Library", "Application Support");
  return env["XDG_CONFIG_HOME"] || joinOn(machine, home, ".config");
}

/** The file of a scope; undefined if the host has none in a project. */
export function fileOf(host: Host, scope: Scope, machine: Machine, project: string): string | undefined {
  if (scope === "user") return host.userFile(machine);
  return host.projectFile === undefined ? undefined : joinOn(machine, project, ...host.projectFile.split("/"));
}
