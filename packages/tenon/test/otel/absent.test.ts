/** Without OpenTelemetry nothing of it is loaded, sent or slowed down; without an SDK nothing is recorded or sent. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { context, trace, type SpanContext } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { connect } from "tenon";
import { injectTraceContext, otel, withSpan } from "tenon/otel";
import { closing } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

/** Every module that is reached from an entry without asking for more. */
function modulesOf(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const source = readFileSync(file, "utf8");
  for (const [, specifier] of source.matchAll(/(?:from|import\() ?"([^"]+)"/g)) {
    if (specifier!.startsWith(".")) modulesOf(join(file, "..", specifier!), found);
    else found.add(specifier!);
  }
  return found;
}

test("only tenon/otel imports OpenTelemetry, and the manifest makes it optional [OT-06]", () => {
  const entries = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => /^(?:\w+\/)?index\.js$/.test(name));
  expect(entries.length).toBeGreaterThan(5);
  const importing = entries.filter((entry) =>
    [...modulesOf(join(dist, entry))].some((name) => name.startsWith("@opentelemetry/")),
  );
  expect(importing.toSorted()).toEqual(["otel/index.js"]);
  // our own file
  const manifest = JSON.parse(readFileSync(join(dist, "../package.json"), "utf8")) as { [name: string]: JsonRecord };
  expect(manifest["peerDependenciesMeta"]).toMatchObject({ "@opentelemetry/api": { optional: true } });
  expect(manifest["dependencies"]).not.toHaveProperty("@opentelemetry/api");
});
type JsonRecord = Readonly<Record<string, unknown>>;

test("without an SDK nothing is added to what is sent, not even an empty _meta [OT-04 CF-21]", async () => {
  const server = testServer();
  server.use(otel());
  server.tool("meta", {}, (_input, ctx) => JSON.stringify(ctx.params["_meta"] ?? "none"));
  const client = await closing(connect(server, { revision: "2025-11-25", middleware: [otel()], validateOutput: false }));
  expect((await client.callTool("meta")).text).toBe('"none"');
  expect((await client.callTool("meta", {}, { meta: { "a.example/b": 1 } })).text).toBe('{"a.example/b":1}');
  expect(await withSpan("part", {}, () => Promise.resolve(1))).toBe(1);
  expect(() =>
    withSpan("part", {}, () => {
      throw new RangeError("x");
    }),
  ).toThrow(RangeError);
});

test("without a propagator no trace context is sent, even if a span is active [OT-03]", () => {
  const span: SpanContext = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
  const active = trace.setSpanContext(context.active(), span);
  expect(injectTraceContext(undefined, active)).toBeUndefined();
});
