/** What the default log of a server says of a result that does not match its output schema. */
import { beforeEach, expect, it, vi, type Mock } from "vitest";
import * as z from "zod";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

let log: Mock<typeof console.error>;
beforeEach(() => {
  log = vi.spyOn(console, "error").mockImplementation(() => undefined) as typeof log;
  return () => log.mockRestore();
});

describeMatrix("A result that does not match its output schema", ({ connect }) => {
  it("is one line in the log, which names the tool and the member, without frames of the library", async () => {
    const server = testServer();
    server.tool("add", { output: z.object({ sum: z.number() }) }, () => ({ sum: "3" }) as never);
    const client = await connect(server);
    await expect(client.callTool("add")).rejects.toMatchObject({ code: -32603 });
    const line =
      'Tool "add" returned structured content that does not match its output schema: sum: ' +
      "Invalid input: expected number, received string";
    expect(log.mock.calls).toEqual([["tenon: tools/call failed:", line]]);
  });
});
