import { describe, expect, test } from "vitest";
import { METHODS, methodsOf } from "./methods.ts";
import { SUPPORTED_PROTOCOL_VERSIONS } from "./versions.ts";

describe("the method table", () => {
  test("no two rows of a method are in force at once", () => {
    for (const version of SUPPORTED_PROTOCOL_VERSIONS) {
      const rows = METHODS.filter(({ since = "", until = "9" }) => since <= version && version <= until);
      expect(methodsOf(version).size, version).toBe(rows.length);
    }
  });

  test("asking and keeping are for the methods the specification names [requirement H2 J1 Z8]", () => {
    const rows = [...methodsOf("2026-07-28").values()];
    expect(rows.filter((row) => row.mayAsk).map((row) => row.method)).toEqual(["tools/call", "resources/read", "prompts/get"]);
    expect(rows.filter((row) => row.cacheable).map((row) => row.method)).toEqual([
      "server/discover",
      "tools/list",
      "resources/list",
      "resources/templates/list",
      "resources/read",
      "prompts/list",
    ]);
  });

  test("completion needs a capability only on revisions that have it [K4.1]", () => {
    expect(methodsOf("2024-11-05").get("completion/complete")?.capability).toBeUndefined();
    expect(methodsOf("2025-03-26").get("completion/complete")?.capability).toBe("completions");
  });

  test("the newest revision has no handshake, no ping and no core tasks [A4.1]", () => {
    for (const method of [
      "initialize",
      "ping",
      "logging/setLevel",
      "resources/subscribe",
      "tasks/get",
      "notifications/initialized",
    ]) {
      expect(methodsOf("2026-07-28").has(method), method).toBe(false);
      expect(methodsOf("2025-11-25").has(method), method).toBe(true);
    }
  });

  test("is built once a revision", () => {
    expect(methodsOf("2025-06-18")).toBe(methodsOf("2025-06-18"));
  });
});
