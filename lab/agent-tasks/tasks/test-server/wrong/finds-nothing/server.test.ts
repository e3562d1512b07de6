import assert from "node:assert/strict";
import { test } from "node:test";
import { testClient } from "tenon/testing";
import { makeServer } from "./server.ts";

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  test(`it pays on ${revision}`, async () => {
    await using pair = await testClient(makeServer(), { revision, elicit: { pay: "accept", receipt: "accept" } });
    assert.equal((await pair.client.callTool("pay", { sum: 5 })).text, "Paid 5.");
  });
}
