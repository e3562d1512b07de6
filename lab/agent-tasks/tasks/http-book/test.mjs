import { equal, match } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { startBalancer } from "../../support/balancer.mjs";
import { textOf } from "../../support/bench.mjs";

/** Fills a form: the seat, or a yes to each thing that is asked. */
function accept({ requestedSchema, message }) {
  const names = Object.keys(requestedSchema?.properties ?? {});
  if (names.includes("seat")) return { action: "accept", content: { seat: "12A" } };
  match(message, /63/, "the user is not asked about the price");
  return { action: "accept", content: Object.fromEntries(names.map((name) => [name, true])) };
}
const unpaid = (params) => (params.requestedSchema?.properties?.seat ? accept(params) : { action: "decline" });

const CASES = [
  ["a yes", accept, "hold 12A\npay 12A\n", false],
  ["a no to the first question", () => ({ action: "decline" }), "", true],
  ["a no to the price", unpaid, "hold 12A\n", true],
];

export async function test(bench) {
  const file = bench.path("airline.log");
  const env = { AIRLINE_LOG: file, STATE_KEY: "0123456789abcdef0123456789abcdef" };
  const [one, two] = await Promise.all([bench.serve("server.ts", { env }), bench.serve("server.ts", { env })]);
  const urls = { "2025-11-25": one.url, "2026-07-28": await startBalancer(bench, [one.url, two.url]) };
  let before = 0;
  for (const [revision, url] of Object.entries(urls))
    for (const [what, elicit, log, fails] of CASES) {
      const client = await bench.http(url, { revision, elicit });
      const result = await client.callTool({ name: "book" });
      const written = existsSync(file) ? readFileSync(file, "utf8") : "";
      equal(written.slice(before), log, `${revision}, after ${what}: not each effect once`);
      before = written.length;
      equal(result.isError ?? false, fails, `${revision}, after ${what}: ${textOf(result)}`);
      if (!fails) equal(textOf(result), "paid 12A");
    }
}
