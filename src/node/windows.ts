/** What Windows does differently, where more than one module has to know. */
import { join } from "node:path";

export function isWindows(platform: string = process.platform): boolean {
  return platform === "win32";
}

/**
 * The path of a program of the system. By its name alone the one in the working directory would be started, whoever has put
 * it there.
 */
export function systemProgramPath(name: string): string {
  return join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", name);
}

/** What Windows says of a file that somebody has open or is deleting just now, and of one that is not ours. */
const BUSY: ReadonlySet<unknown> = new Set(["EPERM", "EACCES", "EBUSY"]);
/** Milliseconds. */
const FIRST_PAUSE = 5;
const PATIENCE = 2_000;

/** Does it, on Windows again and again for two seconds while the file is busy. @throws what `work` throws */
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
