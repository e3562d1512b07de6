/** The author of a new project, if no option names one. Only a name: an e-mail address is for the author to publish. */
import { execFile } from "node:child_process";
import { userInfo } from "node:os";
import type { Shell } from "../shell.ts";

/** Milliseconds for git to print one setting. */
const GIT_MS = 2_000;

/** What npm is set to, the name that commits have, or the user's name on this machine. */
export async function usualAuthor(server: string, shell: Pick<Shell, "cwd" | "env">): Promise<string> {
  const ofNpm = shell.env["npm_config_init_author_name"]?.trim();
  return ofNpm || (await nameInGit(shell)) || userName() || `The authors of ${server}`;
}

/** Undefined without git, or without a name in its settings. */
function nameInGit({ cwd, env }: Pick<Shell, "cwd" | "env">): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile("git", ["config", "user.name"], { cwd, env, timeout: GIT_MS }, (error, stdout) => resolve(error ? undefined : stdout.trim()));
  });
}

/** Undefined if the user has no entry on this machine, as in some containers. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
