import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { testClient } from "tenon/testing";
import { makeServer, paid } from "./server.ts";

beforeEach(() => {
  paid.length = 0;
});

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  test(`a sum is paid once after a yes on ${revision}`, async () => {
    await using pair = await testClient(makeServer(), { revision, elicit: { pay: "accept", receipt: "accept" } });
    assert.equal((await pair.client.callTool("pay", { sum: 5 })).text, "Paid 5.");
    assert.deepEqual(paid, [5]);
  });

  test(`nothing is paid after a no on ${revision}`, async () => {
    await using pair = await testClient(makeServer(), { revision, elicit: { pay: "decline", receipt: "accept" } });
    assert.equal((await pair.client.callTool("pay", { sum: 5 })).isError, true);
    assert.deepEqual(paid, []);
  });

  test(`a negative sum is refused on ${revision}`, async () => {
    await using pair = await testClient(makeServer(), { revision, elicit: { pay: "accept", receipt: "accept" } });
    assert.equal((await pair.client.callTool("pay", { sum: -5 })).isError, true);
    assert.deepEqual(paid, []);
  });
}
