/** What programs without types get wrong first: the error comes at once, and shows what to write. */
import { describe, expect, it } from "vitest";
import { connect, McpServer } from "tenon";
import { spawnServer } from "tenon/node";
import { createFetchHandler } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";

/** A value as a program without types passes it. */
const untyped = (value: unknown): never => value as never;

describe("A first program", () => {
  it.each([["weather"], [{ name: "weather" }], [{ version: "1.0.0" }], [{ name: "weather", version: 1 }], [undefined], [null]])(
    "makes a server from %j, and reads what a server needs",
    (info) => {
      expect(() => new McpServer(untyped(info))).toThrow(
        new TypeError('A server needs a name and a version: new McpServer({ name: "weather", version: "1.0.0" })'),
      );
    },
  );

  it.each([["admin"], [true], [["admin"]]])("shows a tool to %j, and reads that a function decides", (visible) => {
    const server = new McpServer({ name: "s", version: "1" });
    expect(() => server.tool("own", untyped({ visible }), () => "")).toThrow(
      new TypeError('"visible" of tool "own" must be a function of the caller that returns true or false'),
    );
    expect(() => server.prompt("own", untyped({ visible }), () => "")).toThrow(/^"visible" of prompt "own" must be a function/);
  });

  it.each([[new McpServer({ name: "git", version: "1" })], ["git"], ["git", {}], ["git", "server.ts"], ["git", null]])(
    "mounts %j, and reads what a mount has",
    (prefix: unknown, source?: unknown) => {
      const server = new McpServer({ name: "s", version: "1" });
      expect(() => server.mount(untyped(prefix), untyped(source))).toThrow(
        new TypeError('A mount has a prefix and a source of features, such as a server: mount("git", git)'),
      );
    },
  );

  it.each(["allowedHosts", "allowedOrigins"])("gives %s as one text, and reads that it is a list", (option) => {
    const server = new McpServer({ name: "s", version: "1" });
    expect(() => createFetchHandler(server, untyped({ [option]: "https://a.example" }))).toThrow(
      new TypeError(`${option} must be a list: ["https://a.example"]`),
    );
  });

  it.each(["server.ts", "./server.ts", "/mcp", "npx -y server"])("connects to %j, and reads how a program is started", async (target) => {
    const program = '{ command: "npx", args: ["tenon", "run", "server.ts"] }';
    await expect(connect(target)).rejects.toThrow(
      new TypeError(`A text must be an absolute http: or https: URL. To start a program, pass ${program}`),
    );
  });

  it("gives a command with its arguments in one text, and reads where they belong", async () => {
    const command = "no-such-command run server.ts";
    expect(await failureOf(spawnServer({ command }))).toMatchObject({
      message: `Cannot start the server "${command}": ENOENT: "args" takes the words after the first one`,
      data: { code: "ENOENT", command },
    });
  });
});

describeMatrix("A first call", ({ connect: connectTo }) => {
  it("takes the tool and its arguments as one object, and reads that they are two parameters", async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.tool("add", {}, () => "done");
    const client = await connectTo(server);
    await expect(client.callTool(untyped({ name: "add", arguments: {} }))).rejects.toThrow(
      new TypeError('The tool and its arguments are two parameters: callTool("add", { a: 1 })'),
    );
    expect((await client.callTool("add")).text).toBe("done");
  });
});
