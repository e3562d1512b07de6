/** The work of `tenon move`: looks, compares the server on the official SDK with the same server on Tenon, and leaves the second one. */
import { resolve } from "node:path";
import { LATEST_PROTOCOL_VERSION } from "tenon";
import { UsageError } from "../failure.ts";
import { DEFAULT_TIMEOUT, environmentOf, type Invocation, type Outcome, timeoutOf } from "../invocation.ts";
import { quoted } from "../init/installed-from.ts";
import { editsOf, filesOf } from "./project/edits.ts";
import { install, readsWorkspaceFile } from "./project/install.ts";
import { assertMovable, frameworkNote } from "./project/other-frameworks.ts";
import { layerPlaces } from "./project/places.ts";
import { installedVersion, type MovedProject, projectIn } from "./project/project.ts";
import { SavedFiles } from "./project/saved-files.ts";
import { startCommandOf } from "./project/start-command.ts";
import { type Answers, answersOf, listedOn } from "./replay/answers.ts";
import { compare } from "./replay/compare.ts";
import type { Served } from "./replay/served.ts";
import { describeMove, type Report } from "./report.ts";
import { OFFICIAL } from "./source/imports.ts";
import { thisNode } from "./source/refusals.ts";
import { type Findings, scan } from "./source/scan.ts";

export async function moveProject(invocation: Invocation): Promise<Outcome> {
  const { positionals, values, words, shell } = invocation;
  const [typed = ".", surplus] = positionals;
  if (surplus !== undefined) throw new UsageError(`${JSON.stringify(surplus)} is one word too many.`);
  const folder = resolve(shell.cwd, typed);
  if (values.undo === true) {
    if (values.check === true || words !== undefined) throw new UsageError("--undo takes neither --check nor a command.");
    const { undo } = await import("./undo.ts");
    return undo(folder, typed, invocation);
  }
  const project = projectIn(folder, typed);
  if (new SavedFiles(folder).isMoved) throw new UsageError(`${typed} was moved already. To go back: ${commandFor(typed, "--undo")}`);
  assertMovable(project);
  const findings = scan(folder, thisNode());
  const start: Report = {
    findings,
    installed: project.installed,
    framework: frameworkNote(project),
    wrote: [],
    note: undefined,
    comparison: undefined,
    problem: undefined,
    newest: undefined,
    failed: false,
    next: [],
  };
  if (values.check === true || findings.refused.length > 0)
    return outcomeOf(project, withCheckEnd(start, values.check === true && commandFor(typed)));
  return outcomeOf(project, await moved(project, start, { ...invocation, undo: commandFor(typed, "--undo") }));
}

/** A command for the same project: its user may be in another folder. */
const commandFor = (typed: string, ...options: readonly string[]): string =>
  ["npx tenon move", ...(typed === "." ? [] : [quoted(typed)]), ...options].join(" ");

function withCheckEnd(report: Report, next: string | false): Report {
  if (report.findings.refused.length > 0) return { ...report, problem: "Nothing was written." };
  return next === false ? report : { ...report, next: [next] };
}

/** Compares around the change. @throws CannotConnectError if installing fails; everything is as it was then */
async function moved(project: MovedProject, start: Report, invocation: Invocation & { readonly undo: string }): Promise<Report> {
  const { folder, manager, root, others } = project;
  const { terminal, shell, signal, undo } = invocation;
  const places = layerPlaces();
  const saved = new SavedFiles(folder);
  const note = (text: string): void => terminal.note(text);
  const edits = editsOf(project, places, manager === "pnpm" && (await readsWorkspaceFile(root, shell, signal)));
  const { served, missing } = servedBy(project, invocation);
  const before = served === undefined ? undefined : await original(project, served, saved, invocation);
  note("Putting Tenon in the place of the official SDK");
  saved.save(filesOf(project), edits);
  try {
    await install(manager, root, shell, signal);
    saved.installed();
  } catch (error) {
    saved.restore();
    saved.forget();
    throw error;
  }
  const report = { ...start, wrote: [...edits.keys()], note: noteOf(places.note, others), next: nextLines(start.findings, undo) };
  if (served === undefined) return { ...report, problem: `Nothing was compared: ${missing}` };
  note("Asking the server on Tenon");
  return { ...report, ...(await comparisonOf(served, before!, undo)) };
}

/** What the user must know of the places that were written. Overrides hold for the whole workspace. */
function noteOf(note: string | undefined, others: readonly string[]): string | undefined {
  if (others.length === 0) return note;
  const shared = `The override holds for the whole workspace: ${others.join(", ")} ${others.length === 1 ? "runs" : "run"} on Tenon, too.`;
  return note === undefined ? shared : `${note}\n${shared}`;
}

/** The answers of the original, of two starts. */
type Before = readonly [Answers, Answers] | { readonly failed: string };

async function original(project: MovedProject, served: Served, saved: SavedFiles, invocation: Invocation): Promise<Before> {
  const { terminal, shell, signal } = invocation;
  const { manager, folder, root } = project;
  if (installedVersion(folder, OFFICIAL, root) === undefined) {
    terminal.note("Installing what the project names");
    saved.save(filesOf(project), new Map());
    try {
      await install(manager, root, shell, signal);
    } finally {
      saved.restore();
      saved.forget();
    }
  }
  terminal.note("Asking the server on the official SDK");
  try {
    const first = await answersOf(served);
    return [first, await answersOf(served, first.plan)];
  } catch (error) {
    signal.throwIfAborted();
    return { failed: messageOf(error) };
  }
}

const BUNDLED =
  "The server is as before on the revisions with a handshake. If its program was bundled, the official SDK is inside it: build it anew, and compare again.";

async function comparisonOf(
  served: Served,
  before: Before,
  undo: string,
): Promise<Pick<Report, "comparison" | "problem" | "newest" | "failed">> {
  if ("failed" in before)
    return {
      comparison: undefined,
      newest: undefined,
      failed: true,
      problem: `Nothing was compared: on the official SDK the server failed. ${before.failed}`,
    };
  let comparison: Report["comparison"];
  try {
    const [first, again] = before;
    comparison = compare(first, again, await answersOf(served, first.plan));
  } catch (error) {
    served.signal.throwIfAborted();
    return {
      comparison,
      newest: undefined,
      failed: true,
      problem: `The server fails on Tenon: ${messageOf(error)}\nTo go back: ${undo}`,
    };
  }
  const revision = LATEST_PROTOCOL_VERSION;
  const lists = await listedOn(served, revision).catch(messageOf);
  return {
    comparison,
    newest: { revision, lists },
    failed: typeof lists === "string",
    problem: typeof lists === "string" ? BUNDLED : undefined,
  };
}

function servedBy(project: MovedProject, { words, values, shell, signal }: Invocation): { served?: Served; missing?: string } {
  const started = startCommandOf(project, words);
  if ("missing" in started) return started;
  const env = { ...pathOf(project, shell.env["PATH"]), ...environmentOf(values, shell.env) };
  return { served: { program: started.program, url: values.remote, env, timeout: timeoutOf(values) ?? DEFAULT_TIMEOUT, signal } };
}

/** Programs that the project has installed are found first. */
function pathOf({ folder, root }: MovedProject, path: string | undefined): Record<string, string> {
  const bins = [...new Set([folder, root])].map((each) => resolve(each, "node_modules", ".bin"));
  return { PATH: [...bins, ...(path === undefined ? [] : [path])].join(process.platform === "win32" ? ";" : ":") };
}

function nextLines({ uses }: Findings, undo: string): string[] {
  const http = uses.some(({ what }) => what.includes("HTTPServerTransport"));
  return [
    "server.tenon is the Tenon server below: server.tenon.use(otel()), new tools with scopes, visibility, mounts",
    ...(http ? ["serveHttp(server.tenon) serves every revision at one endpoint"] : []),
    `${undo} puts everything back`,
  ];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function outcomeOf({ folder, manager }: MovedProject, report: Report): Outcome {
  const { findings, comparison, failed } = report;
  return {
    json: { folder, manager, ...report },
    text: (paint) => describeMove(report, paint),
    foundFaults: failed || findings.refused.length > 0 || (comparison?.changed.length ?? 0) > 0,
  };
}
