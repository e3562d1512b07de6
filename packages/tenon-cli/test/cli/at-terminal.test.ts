// Questions of a server, answered by keys at a real terminal.
import { expect, describe, it, vi } from "vitest";
import { needs } from "../../../tenon/test/support/needs.ts";
import { CTRL_C, CTRL_D, screenOf, tenonAtTerminal, type AtTerminal, type Typed } from "./at-terminal.ts";
import { runCommand } from "./run-command.ts";
import { fixture } from "./start-command.ts";

needs("script");
vi.setConfig({ testTimeout: 30_000 });

const asks = fixture("asks.mjs");

describe.each(["2025-06-18", "2025-11-25", "2026-07-28"])("A server's questions at a terminal, %s", (revision) => {
  const call = (tool: string, typing: readonly Typed[]): Promise<AtTerminal> =>
    tenonAtTerminal(["call", asks, tool, "--revision", revision], typing);

  it("a form is filled in, wrong values are asked for again, and it is sent when the user confirms [L1.4 L1.6]", async () => {
    const { code, screen, stdout } = await call("book", [
      ["asks asks:", ""],
      ["Name (text): ", "A\r"], // too short
      ["Name (text): ", "Ad\u007Fda\r"], // a key taken back
      ["row (integer): ", "window\r"],
      ["row (integer): ", "31\r"],
      ["row (integer): ", "12\r"],
      ["[e]dit", "what\r"],
      ["[e]dit", "y\r"],
    ]);
    expect({ code, answer: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      answer: { action: "accept", content: { who: "Ada", row: 12 } },
    });
    expect(screen).toContain("Where do you sit?");
    expect(settingsIn(screen)).toEqual([0, 0]);
  });

  it("a form is declined, cancelled, started again, or cancelled at the end of the input [L1.6]", async () => {
    const filled: Typed[] = [
      ["Name (text): ", "Ada\r"],
      ["row (integer): ", "1\r"],
    ];
    const ends: [Typed[], object][] = [
      [[...filled, ["[e]dit", "n\r"]], { action: "decline" }],
      [[...filled, ["[e]dit", "c\r"]], { action: "cancel" }],
      [[["Name (text): ", CTRL_D]], { action: "cancel" }],
      [
        [...filled, ["[e]dit", "e\r"], ["Name (text): ", "Bob\r"], ["row (integer): ", "2\r"], ["[e]dit", "y\r"]],
        { action: "accept", content: { who: "Bob", row: 2 } },
      ],
    ];
    for (const [typing, answer] of ends) {
      const { code, stdout } = await call("book", typing);
      expect({ code, answer: JSON.parse(stdout) as unknown }).toEqual({ code: 0, answer });
    }
  });

  it("a page is shown with its host, and the user's choice is sent, on revisions that have pages [L1.9]", async () => {
    const { code, screen, stdout } = await call("pay", [["Do you open it?", "y\r"]]);
    if (revision === "2025-06-18")
      // pages came later
      return expect([code, stdout, screen]).toEqual([1, "", expect.stringContaining("cannot be sent to a URL")]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "accept\n" });
    expect(screen).toContain("https://pay.example.com/42?a=b");
    expect(screen).toMatch(/It leads to .*pay\.example\.com/);
  });

  it("two questions at once are asked one after the other", async () => {
    const { code, screen, stdout } = await call("both", [
      ["asks:", ""],
      ["[y]es, [n]o", "y\r"],
      ["asks:", ""],
      ["[y]es, [n]o", "n\r"],
    ]);
    expect(code).toBe(0);
    expect(stdout.trim().split(" ").sort()).toEqual(["false", "true"]);
    expect(screen.indexOf("First?")).toBeGreaterThan(-1);
  });

  it("Ctrl-C in the middle of an answer ends the command, and leaves the terminal as it was", async () => {
    const { code, screen, stdout } = await call("book", [
      ["Name (text): ", "Ada\r"],
      ["row (integer): ", `1${CTRL_C}`],
    ]);
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(settingsIn(screen)).toEqual([0, 0]);
  });

  it("without a terminal the question is shown and refused, and the tool fails [L1.6]", async () => {
    const { code, stdout, stderr } = await runCommand(["call", asks, "book", "--revision", revision]);
    expect({ code: code === 0, stdout }).toEqual({ code: false, stdout: "" });
    expect(stderr).toContain("Where do you sit?");
    expect(stderr).toContain("There is no terminal to answer at");
  });
});

it("a narrow terminal shows what a tool is about below its name", () => {
  const lines = screenOf(["list", fixture("sums.mjs")], 44).split(/\r?\n/);
  expect(lines).toContain("  add(a: number, b: number)");
  expect(lines).toContain("      Add two numbers");
  expect(lines.filter((line) => line.length > 44)).toEqual([]);
});

/** For what `stty` said before and after: whether lines are not read as lines, or keys not shown. */
function settingsIn(screen: string): number[] {
  const told = screen.split(/(?=speed \d+ baud)/).filter((part) => part.startsWith("speed"));
  return told.map((part) => [...part.matchAll(/-(icanon|isig|icrnl)\b/g)].length);
}
