/**
 * The queries of the Grafana dashboard in `examples/` name series and labels that `otel({ metrics })` records, as Prometheus
 * spells them.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { connect, LimitExceededError } from "tenon";
import { ClientSessionGroup } from "tenon/group";
import { otel, taskMetrics } from "tenon/otel";
import { serveHttp } from "tenon/node";
import { metering } from "./metering.ts";
import { testServer } from "../support/test-server.ts";

const file = new URL("../../../../examples/observability/dashboard.json", import.meta.url);
// our own file
const { panels } = JSON.parse(readFileSync(file, "utf8")) as { panels: { title: string; targets: { expr: string }[] }[] };

/** The suffixes that Prometheus adds to a name, by its unit. */
const UNITS: { readonly [unit: string]: string } = { s: "_seconds", By: "_bytes" };

test("its queries name series and labels that exist", async () => {
  const meter = metering();
  const layer = otel({ metrics: { meterProvider: meter.provider } });
  const server = testServer({ onError: () => undefined });
  server.use(layer);
  server.tool("refuses", {}, () => {
    throw new LimitExceededError("limits.seats", 3);
  });
  const endpoint = await serveHttp(server, { port: 0 });
  const client = await connect(endpoint.url, { revision: "2025-11-25", middleware: [layer] });
  await client.callTool("refuses").catch(() => undefined);
  await client.close();
  await endpoint.close();
  const stateless = await connect(server, { revision: "2026-07-28" });
  await (await stateless.listen({ tools: true })).close();
  await stateless.close();

  const group = await ClientSessionGroup.connect({ s: server }, { readyTimeout: Infinity, middleware: [layer] });
  await group.close();
  taskMetrics({ meterProvider: meter.provider })({ tool: "build", status: "completed", duration: 1 });

  const collected = await meter.all();
  const series = collected.flatMap(({ name, unit }) => {
    const base = name.replaceAll(".", "_") + (UNITS[unit] ?? "");
    return [base, ...["_bucket", "_count", "_sum", "_total"].map((suffix) => base + suffix)];
  });
  const labels = collected.flatMap(({ points }) => points.flatMap(({ attributes }) => Object.keys(attributes)));
  const known = new Set([...series, ...labels.map((label) => label.replaceAll(".", "_"))]);
  const named = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(?:mcp|tenon|gen_ai|error)_\w+/g) ?? []),
  );
  expect(panels.length).toBeGreaterThan(10);
  expect(named.length).toBeGreaterThan(panels.length);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
