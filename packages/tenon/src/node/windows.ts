/** Differences of Windows that several modules need. */
import { join } from "node:path";

export function isWindows(platform: string = process.platform): boolean {
  return platform === "win32";
}

/** The full path of a system program. Security: by its name alone, Windows would start a program of that name in the working directory. */
export function systemProgramPath(name: string): string {
  return join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", name);
}

/** Error codes of Windows for a file that is open or being deleted, and for one without permission. */
const BUSY: ReadonlySet<unknown> = new Set(["EPERM", "EACCES", "EBUSY"]);
/** Milliseconds. */
const FIRST_PAUSE = 5;
const PATIENCE = 2_000;

/** Runs `work`, and on Windows repeats it for two seconds while the file is busy. @throws what `work` throws */
export async function retryWhileBusy<T>(work: () => Promise<T>, platform: string = process.platform): Promise<T> {
  for (let pause = FIRST_PAUSE, waited = 0; ; waited += pause, pause *= 2) {
    try {
      return await work();
    } catch (error) {
      const busy = error instanceof Error && "code" in error && BUSY.has(error.code);
      if (!busy || !isWindows(platform) || waited + pause > PATIENCE) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
