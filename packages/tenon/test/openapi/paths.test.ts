/** Values in paths: they stay one segment below the base URL. */
import { expect, it } from "vitest";
import { callOnce, oneOperation, startApi, textOf } from "./api.ts";

const document = oneOperation({}, { path: "/pets/{id}/toys" });

it.each([
  ["a/b", "a%2Fb"],
  ["%2e%2e", "%252e%252e"],
  ["..%2f", "..%252f"],
  ["a?b#c", "a%3Fb%23c"],
  ["ü ✓", "%C3%BC%20%E2%9C%93"],
  ["a\\b", "a%5Cb"],
  ["...", "..."],
  ["\r\n", "%0D%0A"],
])("sends %j as one segment", async (id, segment) => {
  expect((await callOnce(document, { id })).request?.target).toBe(`/pets/${segment}/toys`);
});

it.each([[""], ["."], [".."], [[]], [null]])("refuses %j, and sends nothing", async (id) => {
  const { request, result } = await callOnce(document, { id: id as string });
  expect(request).toBeUndefined();
  expect(result.isError).toBe(true);
  expect(textOf(result)).not.toBe("");
});

it("refuses segments that become dots together", async () => {
  const { request, result } = await callOnce(oneOperation({}, { path: "/{a}{b}/x" }), { a: ".", b: "." });
  expect(request).toBeUndefined();
  expect(textOf(result)).toContain('must not have a segment that is empty, "." or ".."');
});

it("keeps the path of the base URL, and the query of a path", async () => {
  const { url, requests } = await startApi();
  await callOnce(
    oneOperation({ parameters: [{ name: "b", in: "query" }] }, { path: "/x?action=list#part" }),
    { b: 1 },
    { options: { baseUrl: `${url}/v1/` } },
  );
  expect(requests[0]?.target).toBe("/v1/x?action=list&b=1");
});

it("refuses half of a surrogate pair", async () => {
  const { request, result } = await callOnce(document, { id: "\uD800" });
  expect(request).toBeUndefined();
  expect(textOf(result)).toContain("half of a surrogate pair");
});
