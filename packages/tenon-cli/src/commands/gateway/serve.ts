/** Serves a gateway until it is interrupted, with what the options of the command add: search, an audit log, pinned tools. */
import { dirname, join } from "node:path";
import { type Gateway, type GatewayOptions, type PinOptions, createGateway } from "tenon/gateway";
import { finishesWithin, isLoopbackName, systemClock } from "tenon/internal";
import { openJsonLines, serveStdio } from "tenon/node";
import type { Stores } from "tenon/stores/memory";
import { UsageError } from "../../failure.ts";
import { portOf, type Invocation, type OptionValues } from "../../invocation.ts";
import { runHttp } from "../run.ts";
import { outputsOn } from "../../connection/server-output.ts";
import { Consent } from "../../consent/consent.ts";
import { BundleEndpoints, bundlePath } from "./bundle-endpoints.ts";
import { Callers } from "./callers.ts";
import { followConfig, followFile } from "./follow.ts";
import { emptiness, loadGatewayConfig } from "./loaded-config.ts";
import { ListFile } from "./list-file.ts";
import { serveMetrics } from "./metrics-endpoint.ts";
import { digestsIn, PinFile, pinNameOf } from "./pin-file.ts";
import { KnownCredentials } from "./settings/credentials.ts";
import type { GatewaySettings } from "./settings/settings.ts";
import { openShared } from "./shared.ts";
import { auditIn, pinsIn, rulesOf } from "./settings/typed.ts";
import type { HttpSettings } from "./settings/whole-settings.ts";

export async function serve(file: string, port: number | undefined, invocation: Invocation): Promise<undefined> {
  const { shell, terminal, values, signal } = invocation;
  const note = (line: string): void => terminal.note(line);
  const search = searchIn(values);
  const consent = new Consent(invocation);
  const loaded = await loadGatewayConfig(file, { shell, consent: consent.asking(file, invocation), onWarning: note });
  const { servers, settings } = loaded;
  const empty = emptiness(file, servers);
  if (empty !== undefined) note(`${empty} The gateway follows the file.`);
  const [credentials, output] = [new KnownCredentials(), outputsOn(terminal)];
  const callers = new Callers(settings);
  const policy = rulesOf(settings, values);
  const { path: auditFile, ...audit } = auditIn(file, invocation, settings.whole);
  await using log = auditFile === undefined ? undefined : openJsonLines(auditFile, { onError: ({ message }) => note(message) });
  const { path: pinPath, ...pinned } = pinsIn(file, invocation, settings.whole);
  const pinFile = pinPath === undefined ? undefined : new PinFile(pinPath, note);
  await using shared = await openShared(file, settings.whole, { shell, needsLogins: settings.hasUserLogins, store: values.store, note });
  const localLogins = values.http === true && isForThisMachine(settings.whole.http);
  const lists = new ListFile(join(dirname(consent.file), "gateway-lists.json"), note);
  await using served = createGateway({
    ...settings.fixed,
    ...search,
    servers: settings.entries(servers, credentials, output),
    ...(policy && { policy }),
    quotas: settings.quotas,
    loginStore: shared.loginStore,
    lists,
    localLogins,
    onMissing: (names) => note(`Not in this list yet, because they still connect: ${names.join(", ")} (setting "readyTimeout")`),
    ...(log && { audit: { ...audit, write: log.write } }),
    ...(pinFile && { pins: { ...pinned, ...(await pinsOf(pinFile, file, note)) } }),
    onDeviation: deviationNotes(note),
    onError: (error, { server }) => note(server === undefined ? error.message : `${server}: ${error.message}`),
  });
  const saved = (): Promise<unknown> => Promise.all([pinFile?.close(), lists.close()]);
  const metricsPort = portOf(values, "metrics");
  const stopMetrics = metricsPort === undefined ? undefined : await serveMetrics(served, metricsPort, note);
  const stops = [
    followConfig(file, {
      shell,
      gateway: served,
      consent,
      note,
      served: loaded,
      credentials,
      output,
      isUsed: (setting) => isUsed(setting, values),
      policyOf: (next) => rulesOf(next, values),
      onApplied: (next) => callers.apply(next),
    }),
    ...(pinFile === undefined ? [] : [followPins(pinFile, served, note)]),
  ];
  try {
    if (values.http === true) void served.start();
    if (localLogins && settings.hasUserLogins) note(LOCAL_LOGINS);
    if (values.http === true) await serveAtUrl(served, { file, port, stores: shared.stores, callers }, settings, invocation);
    else await serveOnStdio(served, signal, () => Promise.all([saved(), log?.close()]));
  } finally {
    for (const stop of stops) stop();
    await stopMetrics?.();
    await saved();
  }
  return undefined;
}

/** Milliseconds that servers have to end before the process does. */
const CLOSE_MS = 150;

/** The process ends with the connection, and what follows `serveStdio` does not run: so all is written before. @param written resolves when it is */
function serveOnStdio(served: Gateway, signal: AbortSignal, written: () => Promise<unknown>): Promise<void> {
  const accept: Gateway["accept"] = async (dispatcher) => {
    await served.accept(dispatcher);
    await finishesWithin(systemClock, CLOSE_MS, served.close());
    await written();
  };
  return serveStdio({ accept }, { signal });
}

/** Says once of each server and of each kind of client what of its messages deviates. */
function deviationNotes(note: (line: string) => void): NonNullable<GatewayOptions["onDeviation"]> {
  const noted = new Set<string>();
  return ({ kind, message }, { server, client }) => {
    const writer = server ?? `client ${JSON.stringify(client?.name ?? "without a name")}`;
    const key = `${writer} ${kind}`;
    if (noted.has(key) || noted.size >= MAX_NOTES) return;
    noted.add(key);
    if (kind !== "left-out") note(`${writer} deviates from the protocol: ${message}`); // `onError` gets what is left out
  };
}

/** Most deviations that are noted: a client names itself as it likes. */
const MAX_NOTES = 1_000;

/** Security: a right of all that reach the port, so the operator reads it. */
const LOCAL_LOGINS =
  "Every program on this machine that calls the gateway uses your logins at its servers. So does each client of a proxy on this machine that " +
  'sends no header about it: then name who may call (setting "http.auth").';

/** Whether only programs on this machine reach the gateway, and none of them has a token. */
function isForThisMachine({ host, auth }: HttpSettings = {}): boolean {
  return auth === undefined && (host === undefined || isLoopbackName(host));
}

function serveAtUrl(
  served: Gateway,
  options: { readonly file: string; readonly port: number | undefined; readonly stores: Stores | undefined; readonly callers: Callers },
  { whole: { http = {}, bundles = {} } }: GatewaySettings,
  invocation: Invocation,
): Promise<undefined> {
  const { auth: _, port, ...where } = http;
  const { callers, ...others } = options;
  const { allowedHosts } = http;
  const parts = new BundleEndpoints(served, callers, {
    ...(allowedHosts && { allowedHosts }),
    ...(options.stores && { stores: options.stores }),
  });
  const auth = callers.door;
  const endpoint = { ...where, ...(auth && { auth }), handle: parts.handle.bind(parts) };
  const onListening = (url: string): void => {
    for (const name of Object.keys(bundles)) invocation.terminal.note(`Bundle ${name} at ${new URL(bundlePath(name), url).href}`);
  };
  const onDrain = (ms: number): Promise<void> => parts.drain(ms);
  return runHttp(served, { ...others, health: true, port: options.port ?? port, endpoint, onListening, onDrain }, invocation);
}

/** Whether a setting of the file has an effect: what was typed replaces some. */
function isUsed(setting: string, { http, port, audit, pins, search }: OptionValues): boolean {
  if (setting.startsWith("http.")) return http === true && !(setting === "http.port" && port !== undefined);
  const typed = { audit, pins, search }[setting];
  return typed === undefined || typed === false;
}

function searchIn({ search = false, pin }: OptionValues): Pick<GatewayOptions, "search"> {
  if (pin !== undefined && !search) throw new UsageError("--pin goes with --search.");
  return search ? { search: { pinned: pin ?? [] } } : {};
}

async function pinsOf(pinFile: PinFile, config: string, note: (line: string) => void): Promise<Omit<PinOptions, "unknown">> {
  return {
    ...digestsIn(await pinFile.read()),
    onPinned: (seen) => pinFile.add(seen),
    onWithheld: (seen) =>
      note(
        `${pinNameOf(seen)} is not as it was approved, and is withheld. To see how it differs: tenon gateway approve ${config} --pins ${pinFile.path}`,
      ),
  };
}

/** Serves what is approved while the gateway runs. */
function followPins(pinFile: PinFile, served: Gateway, note: (line: string) => void): () => void {
  const apply = async (): Promise<void> => {
    try {
      const { approved, callers } = digestsIn(await pinFile.read());
      served.setPins(approved, callers);
    } catch (error) {
      note(`${pinFile.path} was not applied: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return followFile(pinFile.path, apply, note);
}
