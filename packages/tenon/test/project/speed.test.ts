// The page "Speed" and its charts are what the figures say, and a run without Tenon's figures never gets there.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const run = (code: string): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, ["--input-type=module", "-e", code], { cwd: root, encoding: "utf8", timeout: 60_000 });

const row = (peer: string, perSecond: number, cpuUs: number): object => ({
  ...{ way: "http-2026-json", inFlight: 16, peer, perSecond, cpuUs, p50: 1, p99: 2 },
});
const peer = (id: string): object => ({ id, label: id, version: `${id} 1.0.0` });
const report = {
  ...{
    date: "2026-01-02T03:04:05Z",
    seconds: 60,
    cfg: { rounds: 5 },
    noise: { others: 0.1 },
    leftOut: [],
    failed: [],
    memory: [],
  },
  machine: { cpus: 2, cpu: "a processor", system: "linux", node: "20.20" },
  toolChains: { rust: "cargo 1.95.0" },
  peers: ["raw", "tenon", "rmcp", "go-official"].map(peer),
  calls: [row("raw", 20_000, 40), row("tenon", 10_000, 80), row("rmcp", 15_000, 60), row("go-official", 2_500, 640)],
  start: [
    { peer: "raw", ms: 40 },
    { peer: "tenon", ms: 120 },
    { peer: "rmcp", ms: 9 },
  ],
};

/** The page that a run makes. */
function pageOf(results: object): ReturnType<typeof spawnSync> {
  const folder = mkdtempSync(join(tmpdir(), "speed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "results.json");
  writeFileSync(file, JSON.stringify(results));
  return run(`
    import { readFileSync } from "node:fs";
    import { figuresOf } from "./scripts/speed/figures.mjs";
    import { speedPage } from "./scripts/speed/page.mjs";
    console.log(speedPage(figuresOf(JSON.parse(readFileSync(${JSON.stringify(file)}, "utf8")))));`);
}

test("the page and its charts are made from their figures", () => {
  const { stdout } = spawnSync(process.execPath, ["scripts/speed.mjs", "--print"], {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
  });
  const made = JSON.parse(stdout) as Record<string, string>; // written by our own script
  expect(Object.keys(made)).toHaveLength(7);
  for (const [name, text] of Object.entries(made)) {
    expect(readFileSync(join(root, "docs/project", name), "utf8"), `run: node scripts/speed.mjs (${name})`).toBe(text);
  }
});

test("the page says who is ahead, by how much, and why another language wins", () => {
  const page = String(pageOf(report).stdout);
  expect(page).toContain(
    "| Tenon beside | rows that both have | less CPU time a call | more calls a second | shorter slowest calls (p99) |",
  );
  expect(page).toContain("| go-official | 1 | 8.0 × | 4.0 × | 1.0 × |");
  expect(page).toContain("| rmcp | 1 | 0.75 × | 0.67 × | 1.0 × |");
  expect(page).toContain(
    "- **CPU time of a call**: ahead is rmcp in 1 of 1 rows (Tenon 0.75 of it). A compiled server does without",
  );
  expect(page).toContain("- **Calls a second**: ahead is rmcp in 1 of 1 rows (Tenon 0.67 of it). Its process uses every core");
  expect(page).toContain("- **Start to the first list**, milliseconds: rmcp 9, **Tenon** 120. Node itself takes 40 of them");
  expect(page).toContain("2 cores (a processor), linux, Node 20.20, cargo 1.95.0");
  expect(page).not.toContain("Other programs used");
});

test("a row in which two SDKs are level counts for neither, and a range has two figures", () => {
  const level = [row("tenon", 10_000, 80), row("rmcp", 10_200, 60), row("raw", 20_000, 40)];
  const twice = [...level, ...level.map((one) => ({ ...one, inFlight: 64, ...("cpuUs" in one && { cpuUs: 80 }) }))];
  const page = String(pageOf({ ...report, calls: twice }).stdout);
  expect(page).toContain("| rmcp | 2 | 0.75–1.0 × | 0.98 × | 1.0 × |");
  expect(page).not.toContain("**Calls a second**: ahead");
  expect(page).toContain("ahead is rmcp in 1 of 2 rows");
});

test("a busy machine, a language that is not there and an SDK that failed are said", () => {
  const leftOut = [{ label: "official Java", why: "mvn is not there" }];
  const failed = [{ step: "http-2026-json", peer: "go-official", error: "wrong" }];
  const page = String(pageOf({ ...report, noise: { others: 1.3 }, leftOut, failed }).stdout);
  expect(page).toContain("Other programs used 1.3 cores during this run");
  expect(page).toContain("- official Java was left out: mvn is not there.");
  expect(page).toContain("- go-official has no figure for HTTP, 2026-07-28, JSON replies");
});

test("a run without Tenon's figures is refused", () => {
  const { status, stderr } = pageOf({ ...report, calls: report.calls.slice(2) });
  expect(status).not.toBe(0);
  expect(String(stderr)).toContain("The run has no figures of Tenon or of the raw program for http-2026-json");
});
