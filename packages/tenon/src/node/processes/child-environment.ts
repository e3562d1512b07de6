/** The environment of a server that is started. Security: it is an allow-list, so that the server does not get this process's secrets. */
import { isWindows } from "../windows.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const POSIX_NAMES = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
/** Programs on Windows need these to find their folders, or to start at all. */
const WINDOWS_NAMES = /* @__PURE__ */ (
  "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES " +
  "PROGRAMFILES(X86) SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR"
).split(" ");

/** The variables that every server gets. Unset variables and shell functions (`() {…`) are left out. */
export function getDefaultEnvironment(): Record<string, string> {
  return defaultsFrom(process.env, process.platform);
}

/** The environment of a server: the defaults, replaced by the variables that are named for it. */
export function environmentOf(named: Environment = {}, own: Environment = process.env, platform: string = process.platform): Environment {
  const environment: Record<string, string | undefined> = defaultsFrom(own, platform);
  for (const [name, value] of Object.entries(named)) {
    // Of two spellings of a name Node uses the alphabetically first: `PATH` instead of a given `Path`.
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
