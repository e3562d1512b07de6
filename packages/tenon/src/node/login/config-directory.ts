/** Where Tenon keeps what belongs to the user of the machine: stored logins, and the programs that the user agreed to start. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isWindows } from "../windows.ts";

/** The user, as the system describes them to a program. */
export interface User {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** The folder of Tenon among the user's settings, as the platform has them. Default: of the user who runs this process. */
export function configDirectory({ env, home }: User = { env: process.env, home: homedir() }): string {
  const { APPDATA, XDG_CONFIG_HOME = "" } = env;
  if (isWindows()) return join(APPDATA ?? join(home, "AppData", "Roaming"), "tenon");
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "tenon");
  // A relative path is ignored (XDG Base Directory Specification).
  return join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(home, ".config"), "tenon");
}

export function loginDirectory(user?: User): string {
  return join(configDirectory(user), "auth");
}
