/** Formats the result of a walk, as text and as JSON. */
import type { Client } from "tenon/client";
import { type Paint, type Style, cleanLine } from "tenon/internal";
import type { Outcome } from "../invocation.ts";
import { packageVersion } from "../version.ts";
import type { HopReport, Walk } from "./walk.ts";

const STYLES: Readonly<Record<HopReport["status"], Style>> = { ok: "cyan", failed: "red", skipped: "dim" };

/** @param server the server without secrets @param verdict the last line if nothing failed */
export function reportOf(server: string, walk: Walk, verdict = "Nothing is broken."): Outcome {
  const { reports, failed } = walk;
  return {
    json: { server, ok: failed === undefined, failed: failed?.hop ?? null, hops: reports, environment: environment() },
    text: (paint) =>
      [
        paint("bold", cleanLine(server)),
        "",
        ...linesOf(reports, paint),
        ...deviationsOf(reports),
        "",
        ...(failed === undefined ? [verdict] : diagnosis(failed, paint)),
      ].join("\n"),
    foundFaults: failed !== undefined,
  };
}

/** What a report of a fault must name beside the fault. */
function environment(): { readonly tenon: string; readonly node: string; readonly platform: string } {
  return { tenon: packageVersion(), node: process.versions.node, platform: `${process.platform} ${process.arch}` };
}

function linesOf(reports: readonly HopReport[], paint: Paint): readonly string[] {
  const width = Math.max(...reports.map(({ hop }) => hop.length));
  return reports.map(({ hop, status, detail, ms }) => {
    const took = status === "skipped" ? "" : paint("dim", `  ${ms} ms`);
    return `${paint(STYLES[status], status.padEnd(7))}  ${hop.padEnd(width)}  ${cleanLine(detail)}${took}`;
  });
}

/** All that deviates, each in a line; nothing if nothing does. */
function deviationsOf(reports: readonly HopReport[]): readonly string[] {
  const found = reports.flatMap(({ deviations = [] }) => deviations);
  if (found.length === 0) return [];
  return [
    "",
    ...found.map(({ kind, method, message }) => `  ${cleanLine(`${kind}: ${message}${method === undefined ? "" : ` (${method})`}`)}`),
  ];
}

function diagnosis({ hop, url, detail, fix, error }: HopReport, paint: Paint): readonly string[] {
  return [
    paint("bold", `It fails at: ${hop}`),
    ...(url === undefined ? [] : [`  at     ${cleanLine(url)}`]),
    `  wrong  ${cleanLine(detail)}${error === undefined || detail.includes(error) ? "" : ` (${cleanLine(error)})`}`,
    ...(fix === undefined ? [] : [`  fix    ${cleanLine(fix)}`]),
  ];
}

/** Describes an open connection in one line: the server, its revision, and its capabilities. */
export function describeClient({ serverInfo, protocolVersion, serverCapabilities }: Client): string {
  const name = serverInfo === undefined ? "a server without a name" : `${serverInfo.name} ${serverInfo.version}`;
  const offers = Object.entries(serverCapabilities)
    .filter(([, value]) => value !== undefined)
    .map(([capability]) => capability);
  return `${name} speaks ${protocolVersion}: ${offers.length === 0 ? "no capabilities" : offers.join(", ")}`;
}
