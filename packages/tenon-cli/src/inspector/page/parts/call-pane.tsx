/** The calls of one item: its form above, its results below, the newest first. */
import { signal, type Signal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { targetOf } from "tenon/internal";
import type { CallEntry, Issue, Numbered } from "../../entries.ts";
import { perform, Refused } from "../data/api.ts";
import { timeText } from "../data/json.ts";
import { calls, targets, version } from "../data/store.ts";
import { Result } from "./result.tsx";

/** What the user typed, by item: it stays when the view changes. */
const typed = new Map<string, Signal<unknown>>();
/** Milliseconds after a key before a value is checked. */
const PAUSE = 150;

export function typedValue(key: string, first: () => unknown): Signal<unknown> {
  let value = typed.get(key);
  if (value === undefined) typed.set(key, (value = signal(first())));
  return value;
}

/**
 * What is wrong with a value, as the process finds out a moment after each key. Of a part that has changed since, nothing is said until then:
 * a fault that is mended would go while the user clicks, and move the button away.
 */
export function useIssues(value: unknown, params: object): readonly Issue[] {
  const [checked, setChecked] = useState<{ readonly value: unknown; readonly issues: readonly Issue[] }>({ value, issues: [] });
  const key = JSON.stringify(params);
  useEffect(() => {
    let isOld = false;
    const timer = setTimeout(() => {
      perform<readonly Issue[]>("validate", { ...params, value }).then(
        (issues) => void (isOld || setChecked({ value, issues })),
        () => undefined, // the list may not be read yet; the call says what is wrong
      );
    }, PAUSE);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [key, value]);
  return checked.issues.filter(({ path }) => targetOf(value, `#${path}`) === targetOf(checked.value, `#${path}`));
}

export interface CallButtonProps {
  readonly target: number;
  readonly op: CallEntry["op"];
  readonly name: string;
  readonly params: unknown;
  readonly label: string;
  readonly issues?: readonly Issue[];
  /** Called instead of the call, if there are issues that the user has not seen. */
  readonly onUnseen?: (() => void) | undefined;
  /** Milliseconds, as typed; empty for the default. */
  readonly timeout?: string;
  readonly task?: boolean;
  readonly children?: ComponentChildren;
}

/** Starts a call. A value that does not fit the schema can be sent anyway, because authors test their own checks. */
export function CallButton(props: CallButtonProps): VNode {
  const { target, op, name, params, label, issues = [], onUnseen, timeout = "", task, children } = props;
  const [problem, setProblem] = useState("");
  const start = (): void => {
    if (onUnseen !== undefined) return onUnseen();
    const ms = Number(timeout);
    const limits = Number.isSafeInteger(ms) && ms > 0 ? { timeout: ms } : {};
    const request = { target, call: crypto.randomUUID(), name, params, ...limits, ...(task !== undefined && { task }) };
    perform(op, request).then(
      () => setProblem(""),
      (error: unknown) => setProblem(error instanceof Refused ? error.message : "The process does not respond. Does it still run?"),
    );
  };
  return (
    <div class="actions">
      {issues.length === 0 ? null : <IssueList issues={issues} />}
      <button type="button" class="primary" data-call onClick={start}>
        {issues.length === 0 ? label : `${label} anyway`} <kbd>Ctrl ↵</kbd>
      </button>
      {children}
      {problem === "" ? null : (
        <p class="wrong" role="alert">
          ✗ {problem}
        </p>
      )}
    </div>
  );
}

function show(path: string): void {
  document.getElementById(`f${path.replace(/[^\w-]/g, "_")}`)?.focus();
}

function IssueList({ issues }: { issues: readonly Issue[] }): VNode {
  return (
    <ul class="issues" aria-label="What does not fit the schema">
      {issues.slice(0, 8).map(({ path, message }) => (
        <li key={path + message}>
          <button type="button" class="link" onClick={() => show(path)}>
            {path || "the arguments"}
          </button>{" "}
          {message}
        </li>
      ))}
    </ul>
  );
}

/** The calls of one item, newest first. */
export function callsOf(target: number, op: CallEntry["op"], name: string): Numbered<CallEntry>[] {
  void version.calls.value;
  return [...calls.values()].filter((call) => call.target === target && call.op === op && call.name === name).sort((a, b) => b.seq - a.seq);
}

/** Makes the same call on a connection of another revision, which is opened for it. */
function OtherRevision({ call, onStart }: { call: CallEntry; onStart: () => void }): VNode {
  const { target, op, name, params, revision } = call;
  const others = (targets.get(target)?.revisions ?? []).filter((one) => one !== revision);
  const start = (chosen: string): void => {
    onStart();
    void perform(op, { target, call: crypto.randomUUID(), name, params, revision: chosen });
  };
  return (
    <select aria-label="The same call on another revision" value="" onChange={({ currentTarget }) => start(currentTarget.value)}>
      <option value="">also on …</option>
      {others.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

/** The results of one item. @param edit puts the arguments of a call into the form */
export function Results({ found, edit }: { found: readonly Numbered<CallEntry>[]; edit?: (params: unknown) => void }): VNode {
  const [chosen, choose] = useState<string>();
  const place = found.findIndex(({ call }) => call === chosen);
  const at = Math.max(0, place);
  const call = found[at];
  if (call === undefined) return <div class="empty">Results appear here.</div>;
  const again = (): void => {
    choose(undefined);
    const { target, op, name, params } = call;
    void perform(op, { target, call: crypto.randomUUID(), name, params });
  };
  return (
    <div class="results">
      <div class="actions">
        <button type="button" class="small" data-again onClick={again}>
          Again <kbd>r</kbd>
        </button>
        {edit === undefined ? null : (
          <button type="button" class="small" onClick={() => edit(call.params)}>
            Edit and again <kbd>e</kbd>
          </button>
        )}
        <OtherRevision call={call} onStart={() => choose(undefined)} />
        {found.length < 2 ? null : (
          <select aria-label="Which call" value={call.call} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {found.slice(0, 50).map((one, index) => (
              <option key={one.call} value={one.call}>
                {index === 0 ? "newest, " : ""}
                {timeText(one.at)} {one.state}
              </option>
            ))}
          </select>
        )}
      </div>
      <Result key={call.call} call={call} before={found[at + 1]} />
    </div>
  );
}
