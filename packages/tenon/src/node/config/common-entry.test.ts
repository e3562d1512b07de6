/** Entries and files of single hosts, with the fields and at the place that most hosts have. */
import { describe, expect, it } from "vitest";
import { serversOf, toCommonEntry } from "./common-entry.ts";

describe("toCommonEntry()", () => {
  it.each([
    ["local", "stdio"],
    ["stdio", "stdio"],
    ["STDIO", "stdio"],
    ["remote", "http"],
    ["http", "http"],
    ["streamable-http", "http"],
    ["streamable_http", "http"],
    ["streamableHttp", "http"],
    ["streamable", "http"],
    ["sse", "sse"],
    ["websocket", "websocket"], // unknown ones stay, and are refused later
  ])("takes the type %s for %s, under each of its names", (type, common) => {
    for (const name of ["type", "transport", "transportType"])
      expect(toCommonEntry({ [name]: type }, {})).toEqual({ type: common });
  });

  it("refers to the variables that an entry only names, if they are set and can be variables", () => {
    const env = { A: "1", _b2: "2", "not-one": "3" };
    const entry = { env_vars: ["A", "_b2", "MISSING", "not-one", "2A", 7], env: { A: "own" } };
    expect(toCommonEntry(entry, env)).toEqual({ env: { A: "own", _b2: "${env:_b2}" } });
    expect(toCommonEntry({ env_http_headers: { "x-a": "A", "x-b": "MISSING" }, http_headers: { "x-c": "c" } }, env)).toEqual({
      headers: { "x-a": "${env:A}", "x-c": "c" },
    });
    expect(toCommonEntry({ bearer_token_env_var: "A" }, env)).toEqual({ headers: { Authorization: "Bearer ${env:A}" } });
    expect(toCommonEntry({ bearer_token_env_var: "MISSING" }, env)).toEqual({});
    expect(toCommonEntry("text", env)).toBe("text");
  });

  it("makes one command of a list of words, and of an object", () => {
    expect(toCommonEntry({ command: ["npx", "-y"], args: ["x"] }, {})).toEqual({ command: "npx", args: ["-y", "x"] });
    expect(toCommonEntry({ command: { path: "npx", args: ["-y"], env: { A: "1" } } }, {})).toEqual({
      command: "npx",
      args: ["-y"],
      env: { A: "1" },
    });
  });
});

describe("serversOf()", () => {
  const servers = { a: { command: "x" } };
  it.each<[object, string[]]>([
    [{ mcpServers: servers }, ["mcpServers"]],
    [{ servers }, ["servers"]],
    [{ "mcp.servers": servers }, ["mcp.servers"]],
    [{ "amp.mcpServers": servers }, ["amp.mcpServers"]],
    [{ mcp: { servers } }, ["mcp", "servers"]],
    [{ mcp: { mcpServers: servers } }, ["mcp", "mcpServers"]],
    [{ mcp: servers }, ["mcp"]],
  ])("finds the servers of %j", (config, place) => {
    expect(serversOf(config, "f")).toEqual([place, servers]);
  });

  it("says what is wrong with a file that has none", () => {
    expect(() => serversOf([], "f")).toThrow("must be an object");
    expect(() => serversOf({ mcp: { servers: 7 } }, "f")).toThrow('"mcp.servers" must be an object');
    expect(() => serversOf({}, "f")).toThrow('has neither "mcpServers" nor "servers"');
  });
});
