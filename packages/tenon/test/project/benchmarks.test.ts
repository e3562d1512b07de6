// The page of benchmarks and its chart are what the figures say, and figures of a disturbed run never get there.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const run = (...args: string[]): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, ["scripts/benchmarks.mjs", ...args], { cwd: root, encoding: "utf8", timeout: 60_000 });

/** The report of a run, in a file that goes with the test. */
function written(report: object): string {
  const folder = mkdtempSync(join(tmpdir(), "benchmarks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "results.json");
  writeFileSync(file, JSON.stringify(report));
  return file;
}

/** A figure of the page as it stands. */
function known(peer: string, scenario: string, variant: string): string {
  const { rows } = JSON.parse(readFileSync(join(root, "docs/project/benchmarks.json"), "utf8")) as {
    readonly rows: readonly {
      readonly peer: string;
      readonly scenario: string;
      readonly variant: string;
      readonly ofRaw: number;
    }[];
  }; // our own file
  return rows.find((row) => row.peer === peer && row.scenario === scenario && row.variant === variant)!.ofRaw.toFixed(2);
}

test.each(["benchmarks.md", "speed.svg"])("docs/project/%s is made from its figures", (name) => {
  const made = JSON.parse(String(run("--print").stdout)) as Record<string, string>; // written by our own script
  expect(readFileSync(join(root, "docs/project", name), "utf8"), "run: npm run docs:benchmarks").toBe(made[name]);
});

test("a run that other processes disturbed is refused", () => {
  const before = readFileSync(join(root, "docs/project/benchmarks.json"), "utf8");
  const file = written({ noise: { others: 1.8 }, rows: [], peers: [] });
  const { status, stderr } = run(file);
  expect(status).not.toBe(0);
  expect(stderr).toContain("Other processes used 1.8 cores");
  expect(readFileSync(join(root, "docs/project/benchmarks.json"), "utf8")).toBe(before);
});

test("the memory of a user of a gateway, and the calls beside a server that hangs, are on the page", () => {
  const cost = (variant: string, metrics: Record<string, number[]>): object => ({
    ...{ peer: "tenon", scenario: "gateway", variant, ratios: {} },
    metrics: Object.fromEntries(Object.entries(metrics).map(([name, [median, min, max]]) => [name, { median, min, max }])),
  });
  const rows = [
    cost("1000 idle users, two servers", { heap1000: [5_120, 5_000, 5_200], rss1000: [20_480, 19_000, 21_000] }),
    cost("no call hangs, 16 in flight", { p99: [1, 1, 1] }),
    cost("64 calls hang at another server, 16 in flight", { p99Times: [1.01, 0.97, 1.04] }),
    cost("no call hangs, once more, 16 in flight", { p99Times: [0.99, 0.95, 1.06] }),
  ];
  const about = { date: "2026-01-02T03:04:05Z", profile: "quick", machine: { cpus: 2, node: "20.20" }, noise: { others: 0.1 } };
  const file = written({ ...about, peers: [], rows });
  const { status, stdout } = run("--print", file);
  expect(status).toBe(0);
  const page = (JSON.parse(String(stdout)) as Record<string, string>)["benchmarks.md"]!; // written by our own script
  expect(page).toContain("| Tenon | 5.0 KiB | 20.0 KiB | 1.01 (0.97–1.04) | 0.99 (0.95–1.06) |");
});

test("what is added to a call is on the page, with the share that the plain call has of it", () => {
  const way = (variant: string, metrics: Record<string, number>): object => ({
    ...{ peer: "tenon", scenario: "ways", variant, ratios: {} },
    metrics: Object.fromEntries(Object.entries(metrics).map(([name, median]) => [name, { median }])),
  });
  const rows = [way("HTTP, era 2026, plain", { cpuUs: 20 }), way("HTTP, era 2026, bearer()", { cpuUs: 20.8, share: 0.961 })];
  const about = { date: "2026-01-02T03:04:05Z", profile: "full", machine: { cpus: 2, node: "20.20" }, noise: { others: 0.1 } };
  const { status, stdout } = run("--print", written({ ...about, peers: [], rows }));
  expect(status).toBe(0);
  const page = (JSON.parse(String(stdout)) as Record<string, string>)["benchmarks.md"]!; // written by our own script
  expect(page).toContain("- ways: run of 2026-01-02, full profile");
  expect(page).toContain("| HTTP, 2026-07-28, bearer() | 0.96 | 21 µs |");
  expect(page).not.toContain("plain");
});

test("the figures of a run replace those of the same rows, and gateways have a section", () => {
  const row = (peer: string, scenario: string, variant: string, share: number): object => ({
    ...{ peer, scenario, variant, metrics: { rps: { median: share * 10_000 } } },
    ratios: peer === "raw" ? {} : { rps: { raw: { median: share } } },
  });
  const [pipes, http] = ["http in front, stdio behind, era 2025", "http in front, http behind, era 2026"];
  const rows = [
    row("tenon", "stdio", "era 2025, sequential", 0.123),
    ...["raw", "relay", "tenon"].flatMap((peer, i) =>
      [16, 1].map((n) => row(peer, "gateway", `${pipes}, ${n} in flight`, 1 - i / 4)),
    ),
    row("mcp-proxy", "gateway", `${http}, 16 in flight`, 0.118),
  ];
  const machine = { cpus: 2, node: "20.20" };
  const peers = [{ id: "tenon", label: "Tenon" }];
  const file = written({ date: "2026-01-02T03:04:05Z", profile: "quick", machine, noise: { others: 0.1 }, peers, rows });
  // written by our own script
  const page = (JSON.parse(String(run("--print", file).stdout)) as Record<string, string>)["benchmarks.md"]!;
  expect(page).toContain("- stdio, gateway: run of 2026-01-02, quick profile");
  // those of other SDKs stay
  expect(page).toContain(`| 2025-11-25, sequential | 0.12 | ${known("official-v2", "stdio", "era 2025, sequential")} |`);
  expect(page).toMatch(/\| 16 calls in flight \| HTTP to stdio, 2025-11-25 \|.* \| HTTP to HTTP, 2026-07-28 \|/);
  const proxy = known("mcp-proxy", "gateway", `${pipes}, 16 in flight`);
  const lines = ["| no gateway | 1.00 |", "| relay | 0.75 |", "| Tenon | 0.50 |", `| mcp-proxy | ${proxy} |.* | 0.12 |`];
  expect(page).toMatch(new RegExp(lines.map((line) => line.replaceAll(/[|]/g, "\\|")).join(".*\n")));
  expect(page).toContain("| one call at a time | HTTP to stdio, 2025-11-25 |");
});

interface Verdict {
  readonly ratio: number;
  readonly bound: number;
  readonly isSlower: boolean;
}

/** What `npm run bench -- against` makes of the CPU times of a row, before and now. */
function verdictOf(before: readonly number[], now: readonly number[]): Verdict {
  const program =
    'import { verdictOf } from "./bench/lib/verdict.mjs"; ' +
    `console.log(JSON.stringify(verdictOf(${JSON.stringify(before)}, ${JSON.stringify(now)})));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { cwd: root, encoding: "utf8" });
  return JSON.parse(stdout) as Verdict; // written by our own program
}

test("a row that costs more CPU time than its noise has lost, and one within its noise has not", () => {
  const before = [10, 10, 10, 10, 10, 10, 10, 10, 10];
  const scaled = (factors: readonly number[]): number[] => factors.map((factor) => factor * 10);
  const quiet = [1, 1.01, 0.99, 1, 1.02, 0.98, 1, 1.01, 3];
  expect(verdictOf(before, scaled(quiet))).toMatchObject({ ratio: 1, isSlower: false });
  expect(verdictOf(before, scaled(quiet.map((each) => each * 1.19))).isSlower).toBe(false);
  expect(verdictOf(before, scaled(quiet.map((each) => each * 1.25))).isSlower).toBe(true);
  const noisy = [0.7, 0.8, 0.9, 1, 1, 1.1, 1.3, 1.4, 1.5];
  expect(verdictOf(before, scaled(noisy.map((each) => each * 1.2))).isSlower).toBe(false);
  expect(verdictOf(before, scaled(noisy.map((each) => each * 2))).isSlower).toBe(true);
});
