// The referee itself: a right answer is green, each kind of wrong one is red, and
// an agent gets its task and is judged. Needs a build.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { askAgent } from "./referee/agent.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const tasks = readdirSync(join(here, "tasks"));

const folders: string[] = [];
function temporaryFolder(): string {
  folders.push(mkdtempSync(join(tmpdir(), "tenon-agent-tasks-test-")));
  return folders.at(-1)!;
}
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Whether a process is there, and is not one that only waits to be collected. */
function isRunning(pid: string): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}

interface Said {
  readonly runs: number;
  readonly green: number;
  readonly skills: boolean;
  readonly results: readonly {
    readonly task: string;
    readonly answer: string;
    readonly green: boolean;
    readonly reason?: string;
  }[];
}

function referee(...args: string[]): { status: number | null; said: Said } {
  const program = join(here, "agent-tasks.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "--json", ...args], { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return { status, said: JSON.parse(stdout) as Said }; // it was asked for JSON
}

test("There are thirty tasks, each with a prompt, a test and an answer", () => {
  expect(tasks).toHaveLength(30);
  for (const task of tasks) {
    expect(readFileSync(join(here, "tasks", task, "prompt.md"), "utf8")).toContain("Write `");
    expect(readdirSync(join(here, "tasks", task))).toEqual(expect.arrayContaining(["answer", "test.mjs"]));
  }
});

test("The referee takes right answers for green and wrong ones for red", { timeout: 480_000 }, () => {
  const at = temporaryFolder();
  const { status, said } = referee("--replay", "--keep", at, "--only", "server-secret-error,client-call");
  expect(said.results.map(({ task, answer, green }) => `${task}, ${answer}: ${green ? "green" : "red"}`)).toEqual([
    "server-secret-error, answer: green",
    "server-secret-error, tells-the-client: red",
    "client-call, answer: green",
    "client-call, does-not-compile: red",
  ]);
  expect(said.results[1]?.reason).toMatch("the client reads the password");
  expect(said.results[3]?.reason).toMatch(/does not compile.*TS/s);
  expect({ status, green: said.green, runs: said.runs, skills: said.skills }).toEqual({
    status: 0,
    green: 2,
    runs: 2,
    skills: true,
  });
  expect(readFileSync(join(at, "client-call-answer", "AGENTS.md"), "utf8")).toContain("node_modules/tenon/skills/");
});

describe("An agent", () => {
  const ask = (command: string, limit = 60_000): Promise<string | undefined> =>
    askAgent(command, "server-divide", temporaryFolder(), { skills: true, limit });

  test("reads its task from stdin and from a file, and has the folder to itself", async () => {
    expect(
      await ask('grep -q "a tool .divide." && grep -q "npx tsc --noEmit" "$TASK_PROMPT" && test -z "$(ls)"'),
    ).toBeUndefined();
  });

  test("that fails is red with what it said, whether or not it reads its task", async () => {
    expect(await ask("echo the key is missing >&2; exit 7")).toBe("the agent ended with exit code 7: the key is missing");
  });

  test("that does not end is ended, with what it has started", async () => {
    const at = temporaryFolder();
    const command = `sleep 600 & echo $! > ${at}/pid; wait`;
    expect(await ask(command, 1_000)).toBe("the agent did not end within 1 s (--minutes)");
    await vi.waitFor(() => expect(isRunning(readFileSync(join(at, "pid"), "utf8").trim())).toBe(false), { timeout: 10_000 });
  });
});
