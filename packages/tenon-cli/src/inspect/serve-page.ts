/** Serves the page of `tenon inspect` until Ctrl-C. */
import { once } from "node:events";
import { openBrowserWith } from "tenon/internal";
import { startInspector, type Inspector } from "../inspector/start-inspector.ts";
import { marksOf } from "../check/marks.ts";
import { portMistake } from "../commands/run-options.ts";
import { portOf, type Invocation } from "../invocation.ts";
import { clientInfo, pageFolder } from "../version.ts";
import { modelOf } from "./model-option.ts";
import { targetsOf } from "./targets.ts";

/** @throws UsageError, also if the port is taken */
export async function servePage(invocation: Invocation): Promise<undefined> {
  const { values, signal } = invocation;
  const model = await modelOf(invocation);
  const targets = await targetsOf(invocation);
  const port = portOf(values, "ui-port") ?? 0;
  const own = { folder: pageFolder(), port, clientInfo: clientInfo(), marksOf, ...(model && { model }) };
  const inspector = await startInspector({ targets, ...own }).catch((cause: unknown) => {
    throw portMistake(cause, port, "ui-port") ?? cause;
  });
  const stop = offerAddresses(inspector, invocation);
  try {
    await show(inspector, invocation);
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    stop();
    await inspector.close();
  }
}

async function show(inspector: Inspector, { values, shell, terminal }: Invocation): Promise<void> {
  const url = inspector.address();
  if (values.json === true) await terminal.print(JSON.stringify({ url }));
  else await terminal.print(`The page: ${url}`);
  if (values["no-open"] === true || values.json === true) return;
  try {
    await openBrowserWith(shell.env, new URL(url));
    terminal.note("It opens in your browser. Ctrl-C ends it.");
  } catch {
    terminal.note("No browser could be opened here: copy the address. Ctrl-C ends it.");
  }
}

/** At a terminal, Enter shows a new address, because each works once. */
function offerAddresses(inspector: Inspector, { shell: { stdin }, terminal }: Invocation): () => void {
  if (stdin.isTTY !== true) return () => undefined;
  const onInput = (): void => void terminal.print(`The page: ${inspector.address()}`);
  stdin.on("data", onInput);
  return () => stdin.off("data", onInput).pause();
}
