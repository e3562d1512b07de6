/** The environment of a server that is started: an allow-list, so that the secrets of this process stay with it. */
import { isWindows } from "../windows.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const POSIX_NAMES = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
/** Without some of these, programs on Windows do not find their folders, or do not start at all. */
const WINDOWS_NAMES = /* @__PURE__ */ (
  "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES " +
  "PROGRAMFILES(X86) SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR"
).split(" ");

/** What every server gets (ST-07): variables that are not set are left out, and so are shell functions (`() {…`). */
export function getDefaultEnvironment(): Record<string, string> {
  return defaultsFrom(process.env, process.platform);
}

/** What a server gets: that, and over it what is named for it. */
export function environmentOf(named: Environment = {}, own: Environment = process.env, platform: string = process.platform): Environment {
  const environment: Record<string, string | undefined> = defaultsFrom(own, platform);
  for (const [name, value] of Object.entries(named)) {
    // Of two spellings of a name Node takes the first in the alphabet: `PATH` before the `Path` that was named.
    if (isWindows(platform)) delete environment[name.toUpperCase()];
    environment[name] = value;
  }
  return environment;
}

function defaultsFrom(own: Environment, platform: string): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of isWindows(platform) ? WINDOWS_NAMES : POSIX_NAMES) {
    const value = own[name];
    if (value !== undefined && !value.startsWith("()")) environment[name] = value;
  }
  return environment;
}
