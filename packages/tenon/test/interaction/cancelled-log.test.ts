/** What the default log of a server says of a call that its client cancelled, or that ran out of time. */
import { beforeEach, expect, it, vi, type Mock } from "vitest";
import type { McpServer, RequestContext } from "tenon";
import type { FailureReport } from "tenon/server";
import { describeMatrix, describeServed } from "../support/matrix.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

type Ending = (signal: AbortSignal) => unknown;

/** What a handler throws when its signal aborts: what runtimes, libraries and users throw. */
const ENDINGS: readonly [name: string, ending: Ending][] = [
  ["an AbortError", () => new DOMException("The operation was aborted", "AbortError")],
  ["an error caused by the abort", ({ reason }) => new Error("Download failed", { cause: reason })],
];

let log: Mock<typeof console.error>;
beforeEach(() => {
  log = vi.spyOn(console, "error").mockImplementation(() => undefined) as typeof log;
  return () => log.mockRestore();
});

/** A server whose tool waits for its signal and then fails. */
function waitingServer(
  ending: Ending,
  onError?: (error: unknown, report: FailureReport) => void,
): { server: McpServer; started: Promise<void> } {
  const server = testServer({ ...(onError && { onError }) });
  const { opened: started, open: begin } = gate();
  server.tool("wait", {}, (_input: unknown, { signal }: RequestContext) => {
    begin();
    return new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(ending(signal) as Error)));
  });
  return { server, started };
}

describeMatrix("A call that its client cancelled", ({ connect }) => {
  async function cancel(ending: Ending, onError?: (error: unknown, report: FailureReport) => void): Promise<void> {
    const { server, started } = waitingServer(ending, onError);
    const client = await connect(server);
    const abort = new AbortController();
    const reason = new Error("given up");
    const call = expect(client.callTool("wait", {}, { signal: abort.signal })).rejects.toBe(reason);
    await started;
    abort.abort(reason);
    await call;
  }

  it.each(ENDINGS)("is one line in the log if the handler throws %s", async (_name, ending) => {
    await cancel(ending);
    await vi.waitFor(() => expect(log).toHaveBeenCalled());
    expect(log.mock.calls).toEqual([[expect.stringMatching(/^tenon: tools\/call wait was cancelled: [^\n]*$/)]]);
  });

  it("is marked for `onError`", async () => {
    const reports: FailureReport[] = [];
    await cancel(ENDINGS[0]![1], (_error, report) => void reports.push(report));
    await vi.waitFor(() => expect(reports).toHaveLength(1));
    expect(reports[0]).toMatchObject({ method: "tools/call", tool: "wait", cancelled: true });
  });

  it("keeps the stack of a bug that is thrown after the abort", async () => {
    const bug = new TypeError("Cannot read properties of undefined");
    await cancel(() => bug);
    await vi.waitFor(() => expect(log).toHaveBeenCalled());
    expect(log.mock.calls).toEqual([[expect.stringMatching(/^tenon: tools\/call wait failed \(error \w+\):$/), bug]]);
  });
});

describeServed("A call that ran out of the time of its handler", ({ connect }) => {
  it.each(ENDINGS)("is one line in the log if the handler throws %s", async (_name, ending) => {
    const { server } = waitingServer(ending);
    const client = await connect(server, {}, { limits: { handlerTimeout: 1 } });
    const outcome = await client.callTool("wait").catch((error: unknown) => error);
    expect(outcome).toBeDefined();
    await vi.waitFor(() => expect(log).toHaveBeenCalled());
    expect(log.mock.calls).toEqual([[expect.stringMatching(/^tenon: tools\/call wait was cancelled: [^\n]*$/)]]);
  });
});
