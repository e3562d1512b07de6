// `tenon dev` under load: a server of 20 files is saved again and again while official clients of both families call it without pause.
//   npm run reload                     builds; 200 saves for each client and each transport
//   npm run reload -- --saves 20       another number of saves
//   npm run reload -- --no-build       with what was built before
// It prints how long the first save and all others take until a client has the new answer, and fails if a call or a connection fails.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measure, WAYS } from "./reload/measure.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();
// One signal for all calls of the official client 1.x over HTTP makes a warning for each call beyond 1500.
process.removeAllListeners("warning");

const { values } = parseArgs({ options: { saves: { type: "string", default: "200" }, "no-build": { type: "boolean", default: false } } });
const saves = Number(values.saves);
if (!Number.isSafeInteger(saves) || saves < 2) throw new RangeError("--saves needs a number of 2 or more");
if (!values["no-build"]) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(1);
}

/** The value below which a share of sorted values lies. */
const quantile = (sorted, share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);

for (const way of WAYS) {
  const { first, times, calls, failures, closed } = await measure(way, saves);
  const sorted = times.toSorted((a, b) => a - b);
  const [median, p95, most] = [0.5, 0.95, 1].map((share) => quantile(sorted, share));
  console.log(
    `${way.client} over ${way.how}: first save ${Math.round(first)} ms; ${times.length} more: median ${median}, p95 ${p95}, most ${most} ms; ` +
      `${calls} calls, ${failures} failed, ${closed} connections closed`,
  );
  if (failures + closed > 0) process.exitCode = 1;
}
