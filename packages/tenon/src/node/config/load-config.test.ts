import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { growth, LINEAR } from "../../../test/support/cpu-cost.ts";
import { CANARY, file, folder, one, problemsOf } from "../../../test/support/config-files.ts";
import { ServerConfigError } from "./config-problem.ts";
import { parseConfigText } from "./config-text.ts";
import type { EntryDemand } from "./demands.ts";
import { loadConfig } from "./load-config.ts";
import type { LoadConfigOptions } from "./load-options.ts";

describe("Configuration files of hosts", () => {
  it("reads those of Claude Desktop and Claude Code", async () => {
    const path = file(
      "claude.json",
      `{ "globalShortcut": "", "mcpServers": {
        "filesystem": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
          "env": { "A": "\${TOKEN}" } },
        "remote": { "type": "http", "url": "\${BASE:-https://example.com}/mcp",
          "headers": { "Authorization": "Bearer \${TOKEN}" } },
        "old": { "type": "sse", "url": "https://example.com/sse" } } }`,
    );
    const expected = {
      filesystem: {
        type: "stdio",
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
        env: { A: CANARY },
      },
      remote: { type: "http", url: "https://example.com/mcp", headers: { Authorization: `Bearer ${CANARY}` } },
      old: { type: "sse", url: "https://example.com/sse" },
    };
    expect(await loadConfig(path, { env: { TOKEN: CANARY } })).toEqual(expected);
    expect(await loadConfig(pathToFileURL(path), { env: { TOKEN: CANARY } })).toEqual(expected);
  });

  it("reads those of VS Code: `servers`, comments, inputs, an environment in a file", async () => {
    const env = file("vscode.env", `FROM_FILE='a b'\nBOTH=file\n# nothing\n`);
    const path = file(
      "mcp.json",
      `// the servers of this folder
      { "inputs": [{ "id": "key", "type": "promptString", "password": true }],
        "servers": { /* one */
          "perplexity": { "type": "stdio", "command": "npx", "args": ["-y", "server"], "cwd": "\${workspaceFolder}/x",
            "env": { "KEY": "\${input:key}", "BOTH": "own" }, "envFile": ${JSON.stringify(env)}, },
          "fetch": { "url": "https://example.com//mcp?a=/*b*/", }, }, }`,
    );
    expect(await loadConfig(path, { env: {}, variables: { "input:key": CANARY, workspaceFolder: "/work" } })).toEqual({
      perplexity: {
        type: "stdio",
        command: "npx",
        args: ["-y", "server"],
        cwd: "/work/x",
        env: { FROM_FILE: "a b", BOTH: "own", KEY: CANARY },
      },
      fetch: { type: "http", url: "https://example.com//mcp?a=/*b*/" },
    });
  });

  it("reads those of Cursor and others: no type, other names of the URL, disabled servers", async () => {
    const warnings: string[] = [];
    const config = {
      mcpServers: {
        cursor: { command: "python", args: ["s.py"], env: { KEY: "${env:KEY}" } },
        windsurf: { serverUrl: "https://example.com/a" },
        gemini: { httpUrl: "https://example.com/b", trust: true },
        streamable: { type: "streamable-http", url: "https://example.com/c", alwaysAllow: [CANARY] },
        off: { command: "x", disabled: true, args: 5 },
        off2: { command: "x", enabled: false },
      },
    };
    expect(await loadConfig(config, { env: { KEY: "k" }, onWarning: (warning) => warnings.push(warning) })).toEqual({
      cursor: { type: "stdio", command: "python", args: ["s.py"], env: { KEY: "k" } },
      windsurf: { type: "http", url: "https://example.com/a" },
      gemini: { type: "http", url: "https://example.com/b" },
      streamable: { type: "http", url: "https://example.com/c" },
    });
    expect(warnings).toEqual([
      'The configuration: server "gemini", field "trust": is not known, and ignored',
      'The configuration: server "streamable", field "alwaysAllow": is not known, and ignored',
    ]);
  });
});

describe("What is wrong with a configuration", () => {
  it("is reported by line: of the field, or else of the server, of a syntax error, of a key that is there twice", async () => {
    const lines = (text: string): string => file("lines.json", text);
    expect(await problemsOf(lines('{\n"servers": {\n"a": {},\n"b": { "command":\n5 } } }'))).toMatch(
      /\n- line 3, server "a": needs [^]*\n- line 4, server "b", field "command": must be a string$/,
    );
    expect(await problemsOf(lines('{\n"servers": {\n// one\n"a": ] } }'))).toMatch(/\n- line 4: Parse error: not valid JSON$/);
    expect(await problemsOf(lines('{\n"servers": {\n"a": {},\n"b": {},\n"a": {} } }'))).toMatch(
      /\n- line 5: Invalid JSON: .*twice$/,
    );
    expect(await problemsOf(lines("[".repeat(500_000)))).toContain("cannot be used"); // too deep for a line
  });

  it("is reported all at once, by server and field, without a value", async () => {
    const config = {
      mcpServers: {
        a: { command: 5, args: "-y", env: { TOKEN: [7], OTHER: "${SECRET}${NONE}" } },
        b: { url: `https://user:${CANARY}@example.com` },
        c: { url: "${SECRET}" },
        d: { type: "ws", url: "wss://example.com" },
        e: {},
        f: { command: "x", url: "https://example.com" },
        g: { type: "stdio", url: "https://example.com" },
        h: { type: "http", command: "x" },
        i: "npx",
        j: { command: "x", args: ["a", 1, null] },
        k: { url: "https://example.com", headers: ["a"] },
        l: { command: "" },
      },
    };
    expect((await problemsOf(config)).split("\n- ").slice(1)).toEqual([
      'server "a", field "command": must be a string',
      'server "a", field "args": must be a list of strings',
      'server "a", field "env.TOKEN": must be a string',
      'server "a", field "env.OTHER": ${NONE} is not set in the environment',
      'server "b", field "url": The URL of a server must not contain a user name or password: use headers',
      'server "c", field "url": The URL of a server must be an absolute http: or https: URL',
      'server "d", field "type": must be "stdio", "http" or "sse"',
      'server "e": needs a "command" or a "url"',
      'server "f": has both "command" and "url", or several URLs',
      'server "g", field "type": "stdio" has no "url", but a "command"',
      'server "h", field "type": "http" needs a "url"',
      'server "i": must be an object',
      'server "j", field "args[1]": must be a string',
      'server "j", field "args[2]": must be a string',
      'server "k", field "headers": must be an object of strings',
      'server "l", field "command": must not be empty',
    ]);
  });

  it.each<[string, unknown]>([
    ["must be an object", []],
    ['has neither "mcpServers" nor "servers"', {}],
    ['"mcpServers" must be an object', { mcpServers: [] }],
  ])("%s", async (message, config) => {
    expect(await problemsOf(config)).toBe(`The configuration cannot be used:\n- ${message}`);
  });

  it("names the file", async () => {
    const path = join(folder, "none.json");
    await expect(loadConfig(path)).rejects.toThrow(`${path} cannot be used:\n- cannot be read: ENOENT`);
    const broken = file("broken.json", `{ "mcpServers": { "s": { "command": "${CANARY}" ] } }`);
    const twice = file("twice.json", `{ "mcpServers": { "s": { "command": "a" }, "s": { "command": "b" } } }`);
    expect(await problemsOf(broken)).toContain(`${broken} cannot be used:\n- line 1: Parse error: not valid JSON`);
    expect(await problemsOf(twice)).toContain("an object has the same key twice");
    const missing = await problemsOf({ mcpServers: { s: { command: "c", envFile: join(folder, "none.env") } } });
    expect(missing).toContain('server "s", field "envFile": cannot be read: ENOENT');
  });
});

describe("The text of a configuration", () => {
  it.each([
    ["is empty", " \n"],
    ["is not text in UTF-8", "\u0000\uFFFD{"],
    ["has 33554433 characters, and a configuration has at most 33554432", " ".repeat(2 ** 25).concat("{")],
    ["has a string that is too long", `{ "a": "${"a".repeat(20_000_000)}" }`],
  ])("is refused by what is wrong: %s", (message, text) => {
    expect(() => parseConfigText(text, "f")).toThrow(`f cannot be used:\n- ${message}`);
  });

  it("may have comments and trailing commas wherever JSON may have space, and strings keep theirs", () => {
    const noise = fc.constantFrom("", " ", '// "x": [1,],}\n', '/* "a" // ,] */', "\n");
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(noise, { minLength: 1 }), (value, noises) => {
        let count = 0;
        const spaced = JSON.stringify(value, null, 1).replace(/"(?:[^"\\]|\\.)*"|\n/g, (part) => {
          return part === "\n" ? `${noises[count++ % noises.length]!}\n` : part;
        });
        const trailing = spaced.replace(/"(?:[^"\\]|\\.)*"|\n\s*[}\]]/g, (part) => (part.startsWith('"') ? part : `,${part}`));
        expect(parseConfigText(spaced, "f")).toEqual(JSON.parse(JSON.stringify(value)));
        // Only where there is something before the comma: empty containers stand on one line.
        expect(parseConfigText(`\uFEFF${trailing}`, "f")).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each<[what: string, hostile: (size: number) => string]>([
    ["quotes", (size) => '"'.repeat(size + 1)],
    ["commas", (size) => ",".repeat(size)],
    ["a comment that does not end", (size) => `/*${"*".repeat(size)}`],
    ["commas before much space", (size) => `,${" ".repeat(size / 4)}`.repeat(4)],
  ])("%s are read in linear time", (_what, hostile) => {
    expect(growth((size) => expect(() => parseConfigText(hostile(size), "f")).toThrow(ServerConfigError))).toBeLessThan(LINEAR);
  });
});

describe("consent", () => {
  const url = "https://x.example/mcp";
  const config = {
    mcpServers: {
      program: { command: "c", args: ["${env:CANARY_VARIABLE}"] },
      taking: { url, headers: { a: "${file:none}" } },
      plain: { url },
    },
  };

  it("is asked for each server that starts or takes something, before any read; without a yes it is left out", async () => {
    const [asked, files]: [unknown[], string[]] = [[], []];
    const onFile = (path: string): void => void files.push(path);
    const consent = ({ server, origins, files: wanted }: EntryDemand): boolean => {
      asked.push([server, origins, wanted.map(({ written }) => written), files.length]);
      return false;
    };
    expect(Object.keys(await loadConfig(config, { consent, onFile }))).toEqual(["plain"]);
    expect(asked).toEqual([
      ["program", [], [], 0],
      ["taking", ["https://x.example"], ["none"], 0],
    ]);
    expect(files).toEqual([]);
  });

  it.each([undefined, 1, "yes"])("only true agrees, not %j", async (answer) => {
    expect(Object.keys(await loadConfig(config, { consent: () => answer as never }))).toEqual(["plain"]);
  });

  it("of some servers is of no other one, and an error is the program's", async () => {
    const consent = ({ server }: EntryDemand): Promise<boolean> => Promise.resolve(server === "program");
    expect(Object.keys(await loadConfig(config, { consent, env: { CANARY_VARIABLE: "x" } }))).toEqual(["program", "plain"]);
    await expect(loadConfig(config, { consent: () => Promise.reject(new Error("no terminal")) })).rejects.toThrow("no terminal");
  });
});

describe("A member that is ignored", () => {
  async function warningsOf(config: object, more: LoadConfigOptions = {}): Promise<string[]> {
    const warnings: string[] = [];
    await loadConfig(config, { env: {}, ...more, onWarning: (warning) => warnings.push(warning) });
    return warnings.map((warning) => warning.replace(/^.*?: /, ""));
  }

  it("is read by a gateway only, at the top and in a server", async () => {
    const message = 'field "tenon": is read by "tenon gateway" only';
    expect(await warningsOf({ mcpServers: { s: { command: "c", tenon: {} } }, tenon: {} })).toEqual([
      message,
      `server "s", ${message}`,
    ]);
    expect(await warningsOf({ mcpServers: { s: { command: "c" } }, tenon: undefined, inputs: [] })).toEqual([]);
  });

  it("is named with what was probably meant, with its line; others at the top are a host's own", async () => {
    const path = file(
      "mistyped.json",
      '{\n"mcpServers": { "s": { "command": "c",\n"arg": [] } },\n"mcpServer": {}, "theme": 1 }',
    );
    expect(await warningsOf(path as unknown as object)).toEqual([
      'line 4, field "mcpServer": is not known, and ignored. Did you mean "mcpServers"?',
      'line 3, server "s", field "arg": is not known, and ignored. Did you mean "args"?',
    ]);
    await expect(loadConfig({ mcpServer: {} })).rejects.toThrow('. Did you mean "mcpServers" by "mcpServer"?');
  });

  it("is no second URL of a server, and none beside a command: those are faults", async () => {
    const url = "https://a.example";
    const both = 'has both "command" and "url", or several URLs';
    for (const entry of [
      { url, serverUrl: url },
      { url, command: "c" },
      { httpUrl: url, command: "c", type: "http" },
    ])
      expect(await problemsOf({ mcpServers: { s: entry } })).toContain(both);
    expect(await problemsOf({ mcpServers: { s: { url: 7, headers: { a: "b" } } } })).toContain('field "url": must be a string');
    expect(await problemsOf({ mcpServers: { s: { url, headers: { a: "x\0y" } } } })).toContain(
      'field "headers.a": must be one line',
    );
    expect(await problemsOf({ mcpServers: { s: { command: "c", env: { A: "x\0y" } } } })).toContain(
      "must not contain a NUL character",
    );
    expect(await one({ command: "c", env: { A: "x\ny" } })).toMatchObject({ env: { A: "x\ny" } });
  });
});

it.each<[string, unknown, unknown]>([
  ["stdio", { command: "c" }, "stdio"],
  ...["http", "streamable-http", "streamableHttp", "streamable_http", "Remote"].map((type): [string, unknown, unknown] => [
    type,
    { url: "https://a.example" },
    "http",
  ]),
  ["sse", { url: "https://a.example" }, "sse"],
  ["local", { command: "c" }, "stdio"],
])("a server of the type %s is read as most hosts mean it", async (type, entry, expected) => {
  expect(await one({ type, ...(entry as object) })).toMatchObject({ type: expected });
});
