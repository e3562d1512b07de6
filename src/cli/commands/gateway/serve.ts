/** Serves a gateway until it is interrupted, with what the options of the command add: search, an audit log, pinned tools. */
import { createGateway, type Gateway } from "../../../gateway/gateway.ts";
import type { GatewayOptions } from "../../../gateway/options.ts";
import type { PinOptions } from "../../../gateway/tool-pins.ts";
import { loadConfig } from "../../../node/config/load-config.ts";
import { openJsonLines } from "../../../node/json-lines.ts";
import { serveStdio } from "../../../node/stdio/serve-stdio.ts";
import { UsageError } from "../../failure.ts";
import type { Invocation, OptionValues } from "../../invocation.ts";
import { runHttp } from "../run.ts";
import { Consent } from "./consent.ts";
import { followConfig, followFile } from "./follow.ts";
import { digestsIn, PinFile } from "./pin-file.ts";

export async function serve(file: string, port: number | undefined, invocation: Invocation): Promise<undefined> {
  const { terminal, values, signal } = invocation;
  const note = (line: string): void => terminal.note(line);
  const search = searchIn(values);
  const consent = new Consent(invocation);
  const servers = await loadConfig(file, { onWarning: note });
  await consent.assertFor(servers, file, invocation);
  await using audit = values.audit === undefined ? undefined : openJsonLines(values.audit, { onError: ({ message }) => note(message) });
  const pinFile = values.pins === undefined ? undefined : new PinFile(values.pins, note);
  await using served = createGateway({
    servers,
    ...search,
    ...(audit && { audit: { write: audit.write } }),
    ...(pinFile && { pins: await pinsOf(pinFile, file, note) }),
    onError: (error, { server }) => note(server === undefined ? error.message : `${server}: ${error.message}`),
  });
  const stops = [
    followConfig(file, { gateway: served, consent, note, servers }),
    ...(pinFile === undefined ? [] : [followPins(pinFile, served, note)]),
  ];
  try {
    if (values.http === true) await runHttp(served, { file, port, health: true }, invocation);
    else await serveStdio(served, { signal });
  } finally {
    for (const stop of stops) stop();
    await pinFile?.close();
  }
  return undefined;
}

/** @throws UsageError */
function searchIn({ search = false, pin }: OptionValues): Pick<GatewayOptions, "search"> {
  if (pin !== undefined && !search) throw new UsageError("--pin goes with --search.");
  return search ? { search: { pinned: pin ?? [] } } : {};
}

async function pinsOf(pinFile: PinFile, config: string, note: (line: string) => void): Promise<PinOptions> {
  return {
    approved: digestsIn(await pinFile.read()),
    onPinned: (seen) => pinFile.add(seen),
    onWithheld: ({ server, tool }) =>
      note(
        `${server}: tool "${tool}" is not as it was approved, and is withheld. To see how it differs: tenon gateway approve ${config} --pins ${pinFile.path}`,
      ),
  };
}

/** Serves what is approved while the gateway runs. */
function followPins(pinFile: PinFile, served: Gateway, note: (line: string) => void): () => void {
  return followFile(pinFile.path, async () => {
    try {
      served.setPins(digestsIn(await pinFile.read()));
    } catch (error) {
      note(`${pinFile.path} was not applied: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
}
