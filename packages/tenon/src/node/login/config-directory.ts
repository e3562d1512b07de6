/** Where Tenon keeps what belongs to the user of the machine: stored logins, and the programs that the user agreed to start. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isWindows } from "../windows.ts";

/** The folder of Tenon among the user's settings, as the platform has them. */
export function configDirectory(): string {
  const { APPDATA, XDG_CONFIG_HOME = "" } = process.env;
  if (isWindows()) return join(APPDATA ?? join(homedir(), "AppData", "Roaming"), "tenon");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "tenon");
  // A relative path is ignored (XDG Base Directory Specification).
  return join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homedir(), ".config"), "tenon");
}
