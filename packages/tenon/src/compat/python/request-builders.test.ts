/** Requests that are built, and that the program sends itself. */
import { expect, it } from "vitest";
import { isRequestId } from "../../jsonrpc/message.ts";
import { nextTaskRequestId } from "../../protocol/tasks.ts";
import { buildCreateMessageRequest, buildElicitFormRequest, buildElicitUrlRequest } from "./request-builders.ts";

const requestedSchema = { type: "object" as const, properties: {} };
const page = { message: "Pay", url: "https://example.com", elicitationId: "e" };
const RELATED = "io.modelcontextprotocol/related-task";

it("builds a form, and sends nothing [SS-90]", () => {
  expect(buildElicitFormRequest({ message: "Who?", requestedSchema }, { id: 3 })).toEqual({
    jsonrpc: "2.0",
    id: 3,
    method: "elicitation/create",
    params: { mode: "form", message: "Who?", requestedSchema },
  });
});

it("builds a page, which cannot be a task [SS-91]", () => {
  expect(buildElicitUrlRequest(page, { id: "x" })).toEqual({
    jsonrpc: "2.0",
    id: "x",
    method: "elicitation/create",
    params: { mode: "url", ...page },
  });
  // @ts-expect-error no such option
  buildElicitUrlRequest(page, { task: {} });
});

it("builds a request for the model, whatever is in it [SS-92]", () => {
  const unbalanced = {
    messages: [{ role: "user" as const, content: { type: "tool_result" as const, toolUseId: "a", content: [] } }],
    maxTokens: 1,
  };
  const built = buildCreateMessageRequest(unbalanced);
  expect(built).toMatchObject({ method: "sampling/createMessage", params: unbalanced });
  expect(Object.keys(built.params!)).toEqual(["messages", "maxTokens"]);
});

it("ids are never the same, and say whose task they are of [SS-93]", () => {
  const ids = Array.from(
    { length: 100 },
    () => buildElicitFormRequest({ message: "", requestedSchema }, { relatedTaskId: "t1" }).id,
  );
  expect(new Set(ids).size).toBe(100);
  for (const id of ids) expect(id).toMatch(/^task-t1-[0-9a-f-]{36}$/);
  const own = buildElicitFormRequest({ message: "", requestedSchema });
  expect(isRequestId(own.id)).toBe(true);
  expect(own.id).not.toBe(buildElicitFormRequest({ message: "", requestedSchema }).id);
  expect(() => nextTaskRequestId("t".repeat(300))).toThrow(RangeError);
});

it("the task is added to _meta; without a task there is no such member [SS-94]", () => {
  const _meta = { progressToken: 1 };
  const built = buildCreateMessageRequest({ messages: [], maxTokens: 1, _meta }, { relatedTaskId: "t" });
  expect(built.params!["_meta"]).toEqual({ progressToken: 1, [RELATED]: { taskId: "t" } });
  expect(_meta).toEqual({ progressToken: 1 });
  expect(buildElicitUrlRequest(page).params).not.toHaveProperty("_meta");
});

it("requests a task if the option is set [SS-95]", () => {
  expect(buildElicitFormRequest({ message: "", requestedSchema }, { task: { ttl: 60_000 } }).params).toMatchObject({
    task: { ttl: 60_000 },
  });
  expect(buildElicitFormRequest({ message: "", requestedSchema }).params).not.toHaveProperty("task");
});
