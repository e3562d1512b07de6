/** The example, run through two processes, the first of which is gone when the second answers. Needs a build. */
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { connect, type Client, type InputRequiredResult, type ProtocolVersion } from "tenon";

const built = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const trip = { from: "BER", to: "LIS" };

function start(file: string, revision: ProtocolVersion, maxRounds = 10): Promise<Client> {
  const args = [built("packages/tenon-cli/dist/main.js"), "run", built(file)];
  return connect(
    { command: process.execPath, args, stderr: "ignore" },
    {
      revision,
      limits: { maxRounds },
      onElicit: ({ message }) => ({ action: "accept", content: message === "Which seat?" ? { row: 12, letter: "A" } : {} }),
    },
  );
}

it.each(["2025-06-18", "2025-11-25", "2026-07-28"] as const)(
  "the example books a seat over stdio, %s [requirement H1 L1.3]",
  async (revision) => {
    await using client = await start("examples/booking.ts", revision);
    expect((await client.callTool("book", trip)).structuredContent).toEqual({ seat: "12A", price: 72, paid: true });
  },
);

it("another process continues if the one that asked was killed [requirement H8 A4.2 A4.3]", async () => {
  let params: Record<string, unknown> = { name: "book", arguments: trip };
  const answers: Record<string, unknown> = {
    seat: { action: "accept", content: { row: 12, letter: "A" } },
    pay: { action: "accept" },
  };
  const asked: string[] = [];
  for (;;) {
    await using client = await start("packages/tenon/test/asking/fixtures/booking.mjs", "2026-07-28", 0);
    const result = await client.request("tools/call", params as { name: string });
    const { inputRequests, requestState } = result as InputRequiredResult; // or neither
    if (inputRequests === undefined) {
      expect(result).toMatchObject({ structuredContent: { seat: "12A", held: 1 } });
      break;
    }
    const names = Object.keys(inputRequests);
    asked.push(...names);
    params = {
      name: "book",
      arguments: trip,
      requestState,
      inputResponses: Object.fromEntries(names.map((name) => [name, answers[name]])),
    };
  }
  expect(asked).toEqual(["seat", "pay"]);
});
