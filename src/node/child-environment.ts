/** The environment of a server that is started: an allow-list, so that the secrets of this process stay with it. */

const NAMES =
  process.platform === "win32"
    ? [
        "APPDATA",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "USERNAME",
        "USERPROFILE",
      ]
    : ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/** What every server gets (ST-07): variables that are not set are left out, and so are shell functions (`() {…`). */
export function getDefaultEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of NAMES) {
    const value = process.env[name];
    if (value !== undefined && !value.startsWith("()")) environment[name] = value;
  }
  return environment;
}
