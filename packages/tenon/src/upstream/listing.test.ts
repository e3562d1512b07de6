/** The lists of a server that fails, or lists too much: which stay as they were, which are read again, and what is reported. */
import { expect, test } from "vitest";
import { withPresets } from "../base/number-options.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { LENIENT } from "../wire/deviations.ts";
import { EMPTY_LISTS, LIST_LIMITS, readLists, type Lists, type ReadLists } from "./listing.ts";

const KNOWN: Lists = { ...EMPTY_LISTS, tool: [{ name: "old" }], template: [{ uriTemplate: "old:" }] };
const EMPTY_PAGES: JsonObject = { tools: [], prompts: [], resources: [], resourceTemplates: [] };

interface Outcome extends ReadLists {
  /** `kind: message, after so many entries` */
  readonly reported: readonly string[];
}

async function read(request: (method: string) => Promise<JsonObject>): Promise<Outcome> {
  const reported: string[] = [];
  const failed = (kind: string, error: unknown, entries: number): void =>
    void reported.push(`${kind}: ${(error as Error).message}, after ${entries}`);
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  const server = { capabilities, limits: withPresets(LIST_LIMITS), reading: LENIENT, request, failed };
  return { ...(await readLists(server, KNOWN)), reported };
}

const FAILS = ErrorCode.InternalError;
const LACKS = ErrorCode.MethodNotFound;

test.each([
  { method: "tools/list", code: FAILS, failed: ["tools"], reported: ["tool: no, after 0"], tools: 1, templates: 0 },
  { method: "tools/list", code: LACKS, failed: [], reported: ["tool: no, after 0"], tools: 0, templates: 0 },
  {
    method: "resources/templates/list",
    code: FAILS,
    failed: ["resources"],
    reported: ["template: no, after 0"],
    tools: 0,
    templates: 1,
  },
  { method: "resources/templates/list", code: LACKS, failed: [], reported: [], tools: 0, templates: 0 },
])("$method with error $code", async ({ method, code, failed, reported, tools, templates }) => {
  const outcome = await read(async (asked) => {
    if (asked === method) throw new McpError(code, "no");
    return EMPTY_PAGES;
  });
  expect([...outcome.failed]).toEqual(failed);
  expect(outcome.reported).toEqual(reported);
  expect([outcome.lists.tool.length, outcome.lists.template.length]).toEqual([tools, templates]);
});

test("without options a server may list 10,000 prompts", async () => {
  const many = (count: number) =>
    read(async () => ({ ...EMPTY_PAGES, prompts: Array.from({ length: count }, () => ({ name: "p" })) }));
  expect(await many(10_000)).toMatchObject({ absence: undefined, reported: [] });
  expect((await many(10_001)).absence).toMatchObject({ data: { limit: "limits.maxListItems", max: 10_000 } });
});
