/** Shows what happens in `tenon dev` to people, one line for each fact, or to programs as lines of JSON. */
import { relative } from "node:path";
import { type Paint, cleanLine } from "tenon/internal";
import type { Terminal } from "../../terminal/terminal.ts";
import type { DefinitionChange } from "./difference.ts";
import type { DevEvent } from "./events.ts";

const STYLES = { breaking: "red", compatible: "cyan", text: "dim" } as const;

/** @param write writes one line of JSON */
export function reportAsJson(write: (line: string) => void): (event: DevEvent) => void {
  return (event) => write(JSON.stringify({ at: new Date().toISOString(), ...event }));
}

/** @param cwd the folder from which files are named */
export function reportTo(terminal: Terminal, cwd: string): (event: DevEvent) => void {
  const paint = terminal.paintNote;
  return (event) => {
    for (const line of linesOf(event, paint, cwd)) terminal.note(line);
  };
}

function linesOf(event: DevEvent, paint: Paint, cwd: string): string[] {
  if (event.kind === "served") return servedLines(event, paint, cwd);
  if (event.kind === "failed") {
    const consequence = event.isServing ? "The version before is still served." : "Nothing is served until a save mends it.";
    return [`${paint("red", "Failed:")} ${event.message}`, consequence];
  }
  if (event.kind === "ended") {
    const next = event.isRestarted ? "It is started again." : "It is started again at the next save.";
    return [`${paint("red", "The server has ended by itself:")} ${event.how}. ${next}`];
  }
  return [`${paint("yellow", "Not watched:")} ${event.folder}: ${event.message}`];
}

function servedLines(event: Extract<DevEvent, { kind: "served" }>, paint: Paint, cwd: string): string[] {
  const { number, ms, files, changes, warnings } = event;
  const notes = warnings.map((warning) => `${paint("yellow", "Note:")} ${warning}`);
  if (number === 1) return notes;
  const names = files.map((file) => relative(cwd, file)).join(", ");
  return [
    `${paint("bold", "Reloaded")} in ${ms} ms${names === "" ? "" : `: ${names}`}`,
    ...changes.map((change) => changeLine(change, paint)),
    ...notes,
  ];
}

function changeLine({ sign, kind, name, what, meaning, note }: DefinitionChange, paint: Paint): string {
  const head = `${sign} ${kind} ${cleanLine(name)}`;
  const tail = [what === "" ? "" : cleanLine(what), `${meaning}${note === "" ? "" : `: ${note}`}`].filter((part) => part !== "").join("  ");
  return `  ${head}  ${paint(STYLES[meaning], tail)}`;
}
