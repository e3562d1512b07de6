import { describe, expect, test } from "vitest";
import { McpError } from "../jsonrpc/mcp-error.ts";
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  PROTOCOL_VERSION_KEY,
  RELATED_TASK_META_KEY,
} from "../protocol/meta-keys.ts";
import { codecFor } from "./revisions.ts";
import { codecForRequest, isStatelessClaim } from "./revisions.ts";

const stateful = codecFor("2025-11-25");

describe("which revision a request is written in", () => {
  test.each([PROTOCOL_VERSION_KEY, CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY])(
    "%s claims a stateless revision [B5.1]",
    (key) => {
      expect(isStatelessClaim({ _meta: { [key]: 1 } })).toBe(true);
      expect(codecForRequest({ _meta: { [key]: 1 } }, stateful)?.version).toBe("2026-07-28");
    },
  );

  test.each([
    undefined,
    {},
    { _meta: null },
    { _meta: [] },
    { _meta: "x" },
    { _meta: { progressToken: 1 } },
    { _meta: { [RELATED_TASK_META_KEY]: {} } },
  ])("%j belongs to its connection [B5.6]", (params) => {
    expect(isStatelessClaim(params)).toBe(false);
    expect(codecForRequest(params, stateful)).toBe(stateful);
    expect(codecForRequest(params)).toBeUndefined();
  });

  test.each(["2025-11-25", "1999-01-01", "", "__proto__"])(
    "a claim of %j is refused with the versions that are served [B2.2]",
    (version) => {
      const params = { _meta: { [PROTOCOL_VERSION_KEY]: version, [CLIENT_CAPABILITIES_KEY]: {} } };
      const refusal = caught(() => codecForRequest(params, stateful)!.decodeIdentity(params));
      expect(refusal.toErrorData()).toMatchObject({ code: -32022, data: { supported: ["2026-07-28"], requested: version } });
    },
  );
});

describe("codecFor", () => {
  test("every codec is built once", () => {
    expect(codecFor("2025-06-18")).toBe(codecFor("2025-06-18"));
  });

  test("an unsupported revision has no codec [B1.2]", () => {
    for (const version of ["", "2025-06-19", "constructor", "__proto__"]) expect(codecFor(version)).toBeUndefined();
  });
});

function caught(run: () => unknown): McpError {
  try {
    run();
  } catch (error) {
    if (error instanceof McpError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown");
}
