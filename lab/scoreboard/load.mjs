// Load held: growth over a long run, and the official SDK beside Tenon, by turns in one run.
import { last, read, row, script } from "./run.mjs";

export async function soak(size) {
  const { ok } = await script("soak", "--minutes", String(size.soakMinutes));
  const { operations, verdicts } = read("out/soak.json");
  const slope = verdicts.map(({ name, slopes }) => `${name} ${(slopes.heap * 1_000).toFixed(0)} B`).join(", ");
  const control = await script("soak", "--minutes", "1", "--leak");
  return [
    row(
      "Growth of the heap in 1,000 operations",
      "≤ 512 B, or ≤ 512 KiB in all; descriptors and timers as at the start",
      `${slope} over ${operations}`,
      ok,
    ),
    row("Negative control: 256 bytes of each request are kept", "is found", last(control.output), control.ok),
  ];
}

/**
 * Round trips over stdio and HTTP, Tenon and the official SDK by turns in one run: rates on a shared machine say little alone.
 */
export async function load() {
  const { ok, output } = await script(
    "bench",
    "--scenarios",
    "stdio,http-2025,http-2026",
    "--peers",
    "raw,tenon,official-v2",
    "--out",
    "out/scoreboard",
  );
  if (!ok) return [row("Calls beside the official SDK", "measured", last(output), false)];
  const { rows, noise } = read("bench/out/scoreboard/results.json");
  const of = (scenario, variant, metric) => (peer) => {
    const found = rows.find((one) => one.peer === peer && one.scenario === scenario && one.variant === variant);
    return found.metrics[metric].median;
  };
  return [...HTTP.flatMap((scenario) => httpRows(of, scenario)), ...["2025", "2026"].map((era) => stdioRow(of, era))].map(
    (one) => ({
      ...one,
      value: `${one.value}; others took ${Math.round(noise.others * 100)} % of the machine`,
    }),
  );
}

const HTTP = ["http-2025", "http-2026"];
const [OURS, OTHER] = ["tenon", "official-v2"];

function httpRows(of, scenario) {
  const variant = "json, concurrency 64";
  const [cpu, rate, p99] = ["cpuUs", "rps", "p99"]
    .map((metric) => of(scenario, variant, metric))
    .map((one) => [one(OURS), one(OTHER)]);
  const beside = (text) => `${text} (${scenario}, 64 in flight)`;
  return [
    row(
      beside("CPU time of a call"),
      "≤ 300 µs, ≤ 0.5 of the official SDK",
      `${cpu[0].toFixed(0)} µs, ${(cpu[0] / cpu[1]).toFixed(2)}`,
      cpu[0] <= 300 && cpu[0] <= 0.5 * cpu[1],
    ),
    row(
      beside("Calls a second"),
      "≥ 2 × the official SDK",
      `${rate[0].toFixed(0)}, ${(rate[0] / rate[1]).toFixed(1)} ×`,
      rate[0] >= 2 * rate[1],
    ),
    row(
      beside("p99"),
      "≤ 25 ms, ≤ 0.6 of the official SDK",
      `${p99[0].toFixed(1)} ms, ${(p99[0] / p99[1]).toFixed(2)}`,
      p99[0] <= 25 && p99[0] <= 0.6 * p99[1],
    ),
  ];
}

function stdioRow(of, era) {
  const rate = of("stdio", `era ${era}, 64 in flight`, "rps")(OURS);
  const p50 = of("stdio", `era ${era}, sequential`, "p50")(OURS) * 1_000;
  return row(
    `Calls a second over stdio, 64 in flight; p50 of one alone (${era})`,
    "≥ 15,000; ≤ 150 µs",
    `${rate.toFixed(0)}; ${p50.toFixed(0)} µs`,
    rate >= 15_000 && p50 <= 150,
  );
}
