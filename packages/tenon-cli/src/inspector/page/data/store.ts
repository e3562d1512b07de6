/**
 * Everything the page knows, as the process told it. Entries are added in place, and a signal changes once a frame, so that
 * a flood of messages costs no more than the frames it lasts.
 */
import { signal, type Signal } from "@preact/signals";
import type {
  CallEntry,
  ConnectionEntry,
  GapEntry,
  ListEntry,
  ListKind,
  LoginEntry,
  NoteEntry,
  Numbered,
  QuestionEntry,
  StateEntry,
  TargetEntry,
  WireEntry,
} from "../../entries.ts";

/** Milliseconds between two changes of the page: one frame. Timers also run in tabs that are not seen. */
const FRAME = 16;
/** The messages that a tab keeps at least. Older ones are dropped. */
const MAX_WIRE = 100_000;
const MAX_NOTES = 10_000;

type Part = "servers" | "lists" | "calls" | "questions" | "wire" | "notes";

export const targets: Map<number, Numbered<TargetEntry>> = new Map();
export const connections: Map<number, Numbered<ConnectionEntry>> = new Map();
export const states: Map<number, Numbered<StateEntry>> = new Map();
export const logins: Map<number, Numbered<LoginEntry>> = new Map();
export const lists: Map<string, Numbered<ListEntry>> = new Map();
export const calls: Map<string, Numbered<CallEntry>> = new Map();
export const questions: Map<number, Numbered<QuestionEntry>> = new Map();
export const wire: Numbered<WireEntry>[] = [];
export const notes: Numbered<NoteEntry | GapEntry>[] = [];

/** The versions of the parts: a component that reads one is drawn again when the part changes. */
export const version: Readonly<Record<Part, Signal<number>>> = {
  servers: signal(0),
  lists: signal(0),
  calls: signal(0),
  questions: signal(0),
  wire: signal(0),
  notes: signal(0),
};
export const live: Signal<boolean> = signal(false);
/** Why this tab cannot be used; empty if it can. */
export const shut: Signal<string> = signal("");

const changed = new Set<Part>();
let timer: ReturnType<typeof setTimeout> | undefined;

export function addEntries(entries: readonly Numbered[]): void {
  for (const entry of entries) changed.add(add(entry));
  trim(wire, MAX_WIRE);
  trim(notes, MAX_NOTES);
  timer ??= setTimeout(flush, FRAME);
}

function flush(): void {
  timer = undefined;
  for (const part of changed) version[part].value++;
  changed.clear();
}

function add(entry: Numbered): Part {
  switch (entry.kind) {
    case "target":
      targets.set(entry.target, entry);
      return "servers";
    case "connection":
      connections.set(entry.target, entry);
      return "servers";
    case "state":
      states.set(entry.target, entry);
      return "servers";
    case "login":
      logins.set(entry.target, entry);
      return "servers";
    case "list":
      lists.set(`${entry.target} ${entry.of}`, entry);
      return "lists";
    case "call":
      calls.set(entry.call, entry);
      return "calls";
    case "question":
      questions.set(entry.question, entry);
      return "questions";
    case "wire":
      wire.push(entry);
      return "wire";
    default:
      notes.push(entry);
      return "notes";
  }
}

/** Drops a tenth at a time, because each drop moves the rest. */
function trim(list: unknown[], max: number): void {
  if (list.length > max * 1.1) list.splice(0, list.length - max);
}

export function listOf(target: number, of: ListKind): ListEntry | undefined {
  void version.lists.value;
  return lists.get(`${target} ${of}`);
}

/** The questions that wait for the user, oldest first. */
export function openQuestions(): Numbered<QuestionEntry>[] {
  void version.questions.value;
  return [...questions.values()].filter(({ state }) => state === "open").sort((a, b) => a.question - b.question);
}
