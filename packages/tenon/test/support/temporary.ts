/**
 * One temporary folder for a run of tests, and for every program that they start: it goes when the run ends, with whatever a
 * test, a browser or an engine left in it. The settings of the user are in it as well. A run that another one starts is in the
 * folder of that one.
 *
 * A test removes what it makes nevertheless. What it did not is said at the end, where `TENON_TEST_LEFT` is set.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** What is shared by the files of a run, or by the runs of a tool. */
const OF_TOOLS =
  /^(?:config$|node-compile-cache|pglite-new|tsx-\d+|playwright|org\.chromium|\.org\.chromium|v8-compile-cache|[\w-]{21}$)/;

/** A disk in memory, which Linux has: engines write there (stores/engines.ts), in a folder of the same name. */
const PLACES = [tmpdir(), "/dev/shm"];
const PREFIX = "tenon-tests-";
const HOUR = 3_600_000;

/** To be called before anything asks where temporary files go. */
export function useOwnTemporaryFolder(): void {
  if (process.env["TENON_TEST_TEMPORARY"] !== undefined) return;
  removeOld();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // Engines run as another user, and their folders are in this one.
  chmodSync(folder, 0o711);
  process.env["TENON_TEST_TEMPORARY"] = process.env["TMPDIR"] = folder;
  // What Tenon keeps for a user (logins, consents, pins) goes there too, and not among what the person keeps who runs the tests.
  process.env["XDG_CONFIG_HOME"] = process.env["APPDATA"] = join(folder, "config");
  process.on("exit", () => {
    const left = readdirSync(folder).filter((name) => !OF_TOOLS.test(name));
    if (left.length > 0 && process.env["TENON_TEST_LEFT"] !== undefined)
      console.error(`Left behind by tests: ${left.join(", ")}`);
    for (const place of PLACES) rmSync(join(place, basename(folder)), { recursive: true, force: true, maxRetries: 5 });
  });
}

/** Removes the folders of runs that were killed: their process is gone, and nothing was made in them for an hour. */
function removeOld(): void {
  const found = PLACES.filter((place) => existsSync(place)).flatMap((place) =>
    readdirSync(place).map((name) => join(place, name)),
  );
  for (const folder of found.filter((each) => basename(each).startsWith(PREFIX))) {
    const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    const pid = Number.parseInt(basename(folder).slice(PREFIX.length), 10);
    if (!isRunning(pid) && Date.now() - changed > HOUR) rmSync(folder, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // that of another user
  }
}
