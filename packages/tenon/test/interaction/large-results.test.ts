// A result that is too large for its transport fails its own call and no other.
import { expect, test } from "vitest";
import { describeServed } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

/** The limits that a result can exceed: what the server may send, or else what the client reads. */
const LIMITS = ["limits.maxResultSize", "limits.maxResponseBytes", "maxResultSize", "size"];

describeServed(
  "a result that is too large",
  ({ connect }) => {
    test.each([
      ["characters", "x".repeat(17_000_000)],
      ["bytes", "я".repeat(11_000_000)],
    ])(
      "is an error of its call that names the limit, in %s, and the next call has its result [fault H15]",
      async (_unit, text) => {
        const server = testServer();
        server.tool("large", {}, () => text);
        server.tool("small", {}, () => "small");
        const client = await connect(server);
        const [failure, meanwhile] = await Promise.all([
          client.callTool("large").catch((error: unknown) => error),
          client.callTool("small"),
        ]);
        expect(LIMITS).toContain((failure as { data: { limit: string } }).data.limit);
        expect(meanwhile.content).toEqual([{ type: "text", text: "small" }]);
        expect((await client.callTool("small")).content).toEqual([{ type: "text", text: "small" }]);
      },
    );
  },
  ["2025-11-25", "2026-07-28"],
);
