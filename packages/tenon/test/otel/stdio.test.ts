/** One trace over two processes, with the package as it was built. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { connect, SUPPORTED_PROTOCOL_VERSIONS } from "tenon";
import { otel } from "tenon/otel";
import { closing } from "../support/matrix.ts";
import { recording } from "./recording.ts";

const recorded = recording();
const server = { command: process.execPath, args: [fileURLToPath(new URL("fixtures/server.mjs", import.meta.url))] };

interface Where {
  readonly traceId: string;
  readonly parent: { readonly spanId: string; readonly isRemote: boolean };
  readonly attributes: Readonly<Record<string, unknown>>;
}

test.each(SUPPORTED_PROTOCOL_VERSIONS)(
  "the span of a child process is the child of the call's, %s [XT-23 OT-01 OT-03 OT-05]",
  async (revision) => {
    const client = await closing(connect(server, { revision, middleware: [otel()], validateOutput: false }));
    const calls = await Promise.all([1, 2, 3].map(() => recorded.calling(() => client.callTool("where"))));
    const ours = recorded.spans.filter((span) => span.name === "MCP send tools/call where");
    for (const { result, caller } of calls) {
      const { traceId, parent, attributes } = JSON.parse(result.text) as Where; // what that tool returns
      const call = ours.find((span) => span.spanContext().traceId === caller.traceId)!;
      expect({ traceId, parent: parent.spanId, isRemote: parent.isRemote }).toEqual({
        ...{ traceId: caller.traceId, isRemote: true },
        parent: call.spanContext().spanId,
      });
      expect(call.attributes).toMatchObject({ "network.transport": "pipe" });
      expect(attributes).toMatchObject({
        "network.transport": "pipe",
        "jsonrpc.request.id": call.attributes["jsonrpc.request.id"],
      });
    }
  },
);
