// The examples run as they stand, with what was built. Needs a build.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { assertHas } from "../support/needs.ts";
import { nodeAtTerminal, type Typed } from "../../../tenon-cli/test/cli/at-terminal.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

function run(...args: string[]): string {
  return execFileSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    timeout: 100_000,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

test("client.ts starts server.ts, lists its tools and calls one", () => {
  expect(run("--import", "jiti/register", "examples/client.ts")).toBe("add: Add two numbers\n3\n");
});

test("from-python/group.ts calls a tool of one of two servers", () => {
  expect(run("--import", "jiti/register", "examples/from-python/group.ts")).toBe("sums_add, airline_book\n3\n");
});

const fromPython: readonly [string, string][] = [
  ["client", "3\n"],
  ["server-session", "the advanced operation greet_host\nthe basic operation greet_host\n"],
  ["client-session", "curious 2025-11-25\ninfo asking\nfile:///work accept Grace\n"],
  ["request-responder", '[{"n":42},{"error":"McpError: Method not found"}]\n'],
  ["url-elicitation", "Authorization required for your files: https://example.com/oauth/authorize\nreport.txt\n"],
];

test.each(fromPython)("from-python/%s.ts does what the Python example does", (name, output) => {
  expect(run("--import", "jiti/register", `examples/from-python/${name}.ts`)).toBe(output);
});

test("typed-client.ts calls the tools of typed-server.ts as functions", () => {
  expect(run("--import", "jiti/register", "examples/typed-client.ts")).toBe("3\n");
});

test("visibility.ts shows each user the tools of that user", () => {
  const lists = [
    "office search,refund,choose",
    "office search,refund,pay,choose",
    "guest search,choose",
    "guest search,pay,choose",
  ];
  expect(run("--import", "jiti/register", "examples/visibility.ts")).toBe(lists.map((line) => `${line}\n`).join(""));
});

test("composing.ts serves tools that are made from other tools", () => {
  expect(run("--import", "jiti/register", "examples/composing.ts")).toBe("weather city\nfiles__read \nBern: 20 °C\n");
});

test("mounting.ts serves two servers as one", () => {
  expect(run("--import", "jiti/register", "examples/mounting.ts")).toBe("git__log\nfirst commit\nnote://today\n");
});

test("server-card.ts finds a server by its domain", () => {
  expect(run("--import", "jiti/register", "examples/server-card.ts")).toBe("It rains.\n");
});

test("openapi-login.ts asks for a login, and again when the API refuses the token", () => {
  const [asks, notes] = ["Log in to your notes", '{"notes":"Notes of ann"}'];
  expect(run("--import", "jiti/register", "examples/openapi-login.ts")).toBe([asks, notes, notes, asks, notes, ""].join("\n"));
});

test("answering.ts shows the questions of booking.ts in the terminal", async (context) => {
  assertHas(context, "script");
  const typing: Typed[] = [
    ["row", "12\r"],
    ["letter", "A\r"],
    ["[e]dit", "y\r"],
    ["Pay 72 for seat 12A?", "y\r"],
  ];
  const { code, screen, stdout } = await nodeAtTerminal(["--import", "jiti/register", "examples/answering.ts"], typing, root);
  expect({ code, stdout, screen }).toMatchObject({ code: 0, stdout: '{"seat":"12A","price":72,"paid":true}\n' });
}, 30_000);

test("server.ts serves what it says", () => {
  expect(run("packages/tenon-cli/dist/main.js", "call", "examples/server.ts", "add", "--arg", "a=1", "--arg", "b=2")).toBe(
    '{\n  "sum": 3\n}\n',
  );
});

test("everything.ts offers everything", () => {
  const listing = JSON.parse(run("packages/tenon-cli/dist/main.js", "list", "examples/everything.ts", "--json")) as {
    capabilities: object;
    tools: object[];
  };
  expect(Object.keys(listing.capabilities).sort()).toEqual(["completions", "logging", "prompts", "resources", "tools"]);
  expect(listing.tools).toHaveLength(12);
});

test("the examples compile", () => {
  expect(() => run("node_modules/typescript/bin/tsc", "-p", "examples")).not.toThrow();
});
