// `tenon dev` under load: a server of 20 files is saved again and again while official clients of both families call it.
//   npm run reload                     builds; 200 saves for each client and each transport
//   npm run reload -- --saves 20       another number of saves
//   npm run reload -- --rest 20        callers that rest 20 ms between calls, and saves 500 ms apart, as when a person writes
//   npm run reload -- --no-build       with what was built before
// Without --rest, three callers call without pause and each save follows the one before at once, so that two cores are always
// busy. It prints how long the first save and all others take until a client has the new answer, and fails if a call or a
// connection fails. The first save comes as soon as the first version has answered.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measure, WAYS } from "./measure.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();
// One signal for all calls of the official client 1.x over HTTP makes a warning for each call beyond 1500.
process.removeAllListeners("warning");

const { values } = parseArgs({
  options: {
    saves: { type: "string", default: "200" },
    rest: { type: "string", default: "0" },
    "no-build": { type: "boolean", default: false },
  },
});
const saves = Number(values.saves);
if (!Number.isSafeInteger(saves) || saves < 2) throw new RangeError("--saves needs a number of 2 or more");
const rest = Number(values.rest);
if (!Number.isFinite(rest) || rest < 0 || values.rest.trim() === "") throw new RangeError("--rest needs milliseconds, 0 or more");
if (!values["no-build"]) {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(1);
}

/** The value below which a share of sorted values lies. */
const quantile = (sorted, share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);

for (const way of WAYS) {
  const { first, times, calls, failures, closed } = await measure(way, { saves, rest });
  const sorted = times.toSorted((a, b) => a - b);
  const [median, p95, most] = [0.5, 0.95, 1].map((share) => quantile(sorted, share));
  console.log(
    `${way.client} over ${way.how}: first save ${Math.round(first)} ms; ${times.length} more: median ${median}, p95 ${p95}, most ${most} ms; ` +
      `${calls} calls, ${failures} failed, ${closed} connections closed`,
  );
  if (failures + closed > 0) process.exitCode = 1;
}
