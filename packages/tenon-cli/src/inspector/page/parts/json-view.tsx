/** A JSON value as a tree. Members are drawn when they are opened, a hundred at a time. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { isObject, visible } from "../data/json.ts";
import { CopyButton } from "./copy-button.tsx";

const STEP = 100;
/** Most characters of a text that are shown at first. */
const MAX_TEXT = 2_000;

export function JsonView({
  value,
  name,
  path = "",
  isOpen = true,
}: {
  value: unknown;
  name?: string;
  path?: string;
  isOpen?: boolean;
}): VNode {
  const entries = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : undefined;
  const label = name === undefined ? null : <span class="key">{visible(name)}: </span>;
  if (entries === undefined || entries.length === 0)
    return (
      <div class="leaf">
        {label}
        <Leaf value={value} />
      </div>
    );
  return <Branch label={label} entries={entries} path={path} isList={Array.isArray(value)} value={value} isOpen={isOpen} />;
}

interface BranchProps {
  readonly label: VNode | null;
  readonly entries: readonly (readonly [string | number, unknown])[];
  readonly path: string;
  readonly isList: boolean;
  readonly value: unknown;
  readonly isOpen: boolean;
}

function Branch({ label, entries, path, isList, value, isOpen: atFirst }: BranchProps): VNode {
  const [isOpen, setOpen] = useState(atFirst);
  const [shown, setShown] = useState(STEP);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)} class="branch">
      <summary>
        {label}
        <span class="type">{isList ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      {isOpen && path !== "" ? <CopyButton text={() => JSON.stringify(value)} label={path} /> : null}
      {isOpen
        ? entries
            .slice(0, shown)
            .map(([key, one]) => (
              <JsonView key={key} name={String(key)} value={one} path={`${path}/${key}`} isOpen={path.split("/").length < 3} />
            ))
        : null}
      {isOpen && entries.length > shown ? (
        <button type="button" class="small" onClick={() => setShown(shown + STEP * 10)}>
          {entries.length - shown} more
        </button>
      ) : null}
    </details>
  );
}

function Leaf({ value }: { value: unknown }): VNode {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== "string")
    return <span class={value === null ? "null" : typeof value}>{value === undefined ? "absent" : JSON.stringify(value)}</span>;
  const isLong = value.length > MAX_TEXT && !isWhole;
  return (
    <>
      <span class="string">{visible(JSON.stringify(isLong ? value.slice(0, MAX_TEXT) : value))}</span>
      {isLong ? (
        <button type="button" class="small" onClick={() => setWhole(true)}>
          {value.length - MAX_TEXT} more characters
        </button>
      ) : null}
    </>
  );
}
