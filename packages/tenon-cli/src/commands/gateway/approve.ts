/** `tenon gateway approve`: shows how tools differ from their approved definitions, and approves them after a yes. */
import { type ConnectOptions, connect } from "tenon/client";
import { type SeenTool, createGateway } from "tenon/gateway";
import { cleanLine } from "tenon/internal";
import { toolDifference } from "../../dev/page/difference.ts";
import { UsageError } from "../../failure.ts";
import type { Invocation, Outcome } from "../../invocation.ts";
import { confirm } from "../../terminal/confirm.ts";
import { Consent } from "../../consent/consent.ts";
import { loadGatewayConfig } from "./loaded-config.ts";
import { digestsIn, PinFile, type PinnedTool } from "./pin-file.ts";
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
  const withheld: SeenTool[] = [];
  const failures: string[] = [];
  await using gateway = createGateway({
    servers: settings.entries(servers, new KnownCredentials()),
    readyTimeout: Infinity,
    pins: { approved: digestsIn(pinned), unknown: "withhold", onWithheld: (seen) => withheld.push(seen) },
    onError: (error, { server }) => failures.push(`${server === undefined ? "" : `${server}: `}${error.message}`),
  });
  await using client = await connect(gateway, { ...ABLE, timeout: Infinity, maxTotalTimeout: Infinity, signal });
  await client.listTools();
  for (const failure of failures) terminal.note(failure);
  const lines = withheld.flatMap((seen) => linesOf(seen, pinned[seen.server]?.[seen.tool]));
  const isApproved = withheld.length > 0 && (await agree(lines, invocation));
  if (isApproved) await pinFile.write(withheld);
  const tools = withheld.map(({ server, tool, digest }) => ({ server, tool, digest }));
  const end =
    withheld.length === 0 ? "All tools are as they were approved." : isApproved ? `Approved in ${pins}.` : "Nothing was approved.";
  return { json: { tools, approved: isApproved, failures }, foundFaults: failures.length > 0, text: () => end };
}

async function agree(lines: readonly string[], invocation: Invocation): Promise<boolean> {
  for (const line of lines) invocation.terminal.note(line);
  return confirm("Approve these definitions?", invocation);
}

/** How a tool differs from its approved definition. What a model reads is shown whole. */
function linesOf({ server, tool, definition }: SeenTool, pin: PinnedTool | undefined): string[] {
  const head = cleanLine(`${server}: ${tool}`);
  if (pin === undefined) return [`+ ${head}  new`, `    ${cleanLine(textOf(definition["description"]))}`];
  const changes = toolDifference(pin.definition, definition).map(({ path, what }) => `~ ${head}  ${cleanLine(`${path} ${what}`)}`);
  const texts = (["title", "description"] as const).filter((member) => textOf(pin.definition[member]) !== textOf(definition[member]));
  const shown = texts.flatMap((member) => [
    `  - ${member}: ${cleanLine(textOf(pin.definition[member]))}`,
    `  + ${member}: ${cleanLine(textOf(definition[member]))}`,
  ]);
  return [...changes, ...shown];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
