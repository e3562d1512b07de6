/** The JSON-RPC code for an HTTP status, and what a caller reads of it. */
import { expect, test } from "vitest";
import { HttpStatusError } from "./errors.ts";

test.each([
  [400, -32600],
  [499, -32600],
  [500, -32603],
  [503, -32603],
])("status %i has the code %i", (status, code) => {
  expect(new HttpStatusError(status, "no")).toMatchObject({
    name: "HttpStatusError",
    status,
    code,
    message: "no",
    data: { status },
  });
});

test("the beginning of the body stands in the data, if there is one", () => {
  expect(new HttpStatusError(500, "no", "sample").data).toEqual({ status: 500, body: "sample" });
  expect(new HttpStatusError(500, "no", "").data).toEqual({ status: 500 });
});
