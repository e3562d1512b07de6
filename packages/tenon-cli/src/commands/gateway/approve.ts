/**
 * `tenon gateway approve`: shows how tools, prompts, instructions and pages differ from what was approved, and approves them after a yes.
 *
 * It sees each server once as its user. It lists everything, and then reads the pages that tools name.
 */
import { type ConnectOptions, connect } from "tenon/client";
import { type Gateway, type PinnedTools, type SeenTool, createGateway } from "tenon/gateway";
import { cleanLine, isJsonObject, isSameJson } from "tenon/internal";
import type { Client, JsonObject } from "tenon";
import { toolDifference } from "../../dev/page/difference.ts";
import { UsageError } from "../../failure.ts";
import type { Invocation, Outcome } from "../../invocation.ts";
import { confirm } from "../../terminal/confirm.ts";
import { outputsOn } from "../../connection/server-output.ts";
import { Consent } from "../../consent/consent.ts";
import { loadGatewayConfig } from "./loaded-config.ts";
import { digestsIn, PinFile, pinNameOf, type PinnedTool } from "./pin-file.ts";
import { KnownCredentials } from "./settings/credentials.ts";
import { pinsIn } from "./settings/typed.ts";

/** Declares every ability, so that servers list all of their tools. Nothing is called, so nothing is asked. */
const ABLE: ConnectOptions = {
  onElicit: () => ({ action: "cancel" }),
  onSample: () => {
    throw new Error("No tool is called");
  },
  roots: [],
};

/** @throws ServerConfigError with all faults of the file; UsageError without a file of pins, or if there is no terminal to ask at */
export async function approve(file: string, invocation: Invocation): Promise<Outcome> {
  const { shell, terminal, signal } = invocation;
  const consent = new Consent(invocation).asking(file, invocation);
  const { servers, settings } = await loadGatewayConfig(file, { shell, consent, onWarning: (warning) => terminal.note(warning) });
  const { path: pins } = pinsIn(file, invocation, settings.whole);
  if (pins === undefined) throw new UsageError("--pins is missing: give the file that the gateway uses.");
  const pinFile = new PinFile(pins, (line) => terminal.note(line));
  const pinned = await pinFile.read();
  const { approved } = digestsIn(pinned);
  const withheld: SeenTool[] = [];
  const failures: string[] = [];
  await using gateway = createGateway({
    servers: settings.entries(servers, new KnownCredentials(), outputsOn(terminal)),
    readyTimeout: Infinity,
    // What this user of the machine sees is approved for all callers.
    pins: {
      approved,
      unknown: "withhold",
      onWithheld: ({ server, tool, kind, name, digest, definition }) => withheld.push({ server, tool, kind, name, digest, definition }),
    },
    onError: (error, { server }) => failures.push(`${server === undefined ? "" : `${server}: `}${error.message}`),
  });
  await using client = await connect(gateway, { ...ABLE, timeout: Infinity, maxTotalTimeout: Infinity, signal });
  await seeAll(gateway, client, { approved, withheld });
  for (const failure of failures) terminal.note(failure);
  const lines = withheld.flatMap((seen) => linesOf(seen, pinned.servers[seen.server]?.[seen.tool]));
  const isApproved = withheld.length > 0 && (await agree(lines, invocation));
  if (isApproved) await pinFile.write(withheld);
  const tools = withheld.map(({ server, tool, kind, digest }) => ({ server, tool, kind, digest }));
  const nothing = "All tools are as they were approved, and all else that is pinned.";
  const end = withheld.length === 0 ? nothing : isApproved ? `Approved in ${pins}.` : "Nothing was approved.";
  return { json: { tools, approved: isApproved, failures }, foundFaults: failures.length > 0, text: () => end };
}

/** Lists everything, and reads the pages of all tools, also of those that are withheld. */
async function seeAll(
  gateway: Gateway,
  client: Client,
  { approved, withheld }: { readonly approved: PinnedTools; readonly withheld: readonly SeenTool[] },
): Promise<void> {
  await client.listTools(); // it connects to all servers, and so their instructions are seen
  for await (const _ of client.prompts());
  for await (const _ of client.resources());
  const shown: Record<string, Record<string, string>> = {};
  for (const { server, tool, digest } of withheld) shown[server] = { ...(shown[server] ?? approved[server]), [tool]: digest };
  gateway.setPins({ ...approved, ...shown });
  const pages = new Set<string>();
  for await (const { _meta: meta } of client.tools()) for (const uri of pagesIn(meta)) pages.add(uri);
  for (const uri of pages) await client.readResource(uri).catch(() => undefined); // one that cannot be read shows nothing
}

function pagesIn(meta: JsonObject | undefined): string[] {
  const { ui, "ui/resourceUri": old } = meta ?? {};
  return [isJsonObject(ui) ? ui["resourceUri"] : undefined, old].filter((uri) => typeof uri === "string");
}

async function agree(lines: readonly string[], invocation: Invocation): Promise<boolean> {
  for (const line of lines) invocation.terminal.note(line);
  return confirm("Approve these definitions?", invocation);
}

/** How something differs from its approved definition. What a model reads is shown whole. */
function linesOf(seen: SeenTool, pin: PinnedTool | undefined): string[] {
  const { kind, server, name, definition } = seen;
  const head = cleanLine(kind === "tool" ? `${server}: ${name}` : pinNameOf(seen));
  if (pin === undefined) return [`+ ${head}  new`, `    ${cleanLine(textOf(definition["description"] ?? definition["text"]))}`];
  const changes = changesOf(kind, pin.definition, definition).map((change) => `~ ${head}  ${cleanLine(change)}`);
  const texts = (["title", "description", "text"] as const).filter(
    (member) => textOf(pin.definition[member]) !== textOf(definition[member]),
  );
  const shown = texts.flatMap((member) => [
    `  - ${member}: ${cleanLine(textOf(pin.definition[member]))}`,
    `  + ${member}: ${cleanLine(textOf(definition[member]))}`,
  ]);
  return [...changes, ...shown];
}

function changesOf(kind: SeenTool["kind"], before: JsonObject, after: JsonObject): string[] {
  if (kind === "tool") return toolDifference(before, after).map(({ path, what }) => `${path} ${what}`);
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((one) => !isSameJson(before[one], after[one]));
  return members.map((member) => {
    const isText = ["title", "description", "text"].includes(member); // shown below, whole
    return isText ? `${member} changed` : `${member} changed: ${JSON.stringify(before[member])} -> ${JSON.stringify(after[member])}`;
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
