// The same servers, faults and streams once more, reached over the runtime's own `fetch`, which the client uses if the program
// replaced it.
import { afterAll, beforeAll } from "vitest";

const { fetch } = globalThis;
beforeAll(() => {
  globalThis.fetch = (...request) => fetch(...request);
});
afterAll(() => {
  globalThis.fetch = fetch;
});

await import("./faults.test.ts");
await import("./official.test.ts");
await import("./sessions.test.ts");
await import("./streams.test.ts");
