/** One search over everything that the server offers, and over the views. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { textOf, visible } from "../data/json.ts";
import { go, VIEWS, type View } from "../data/route.ts";
import { listOf } from "../data/store.ts";
import { Dialog } from "./dialog.tsx";
import { searchText } from "./panes.tsx";

interface Found {
  readonly view: View;
  readonly item?: string;
  readonly about: string;
}

const MAX_FOUND = 50;
/** The list is one of the page, not a `datalist`, which the types of the library expect of this role. */
const COMBOBOX = { type: "search", role: "combobox" } as object;

export function Search({ target, onClose }: { target: number; onClose: () => void }): VNode {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const found = find(target, typed);
  const open = (one: Found | undefined): void => {
    if (one === undefined) return;
    go({ view: one.view, ...(one.item !== undefined && { item: one.item }) });
    onClose();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(found.length - 1, at + step)));
    } else if (event.key === "Enter") open(found[at]);
  };
  return (
    <Dialog label="Search" onClose={onClose}>
      <input
        class="wide"
        {...COMBOBOX}
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={found.length > 0 ? `found-${at}` : undefined}
        aria-label="Search tools, resources, prompts and views"
        placeholder="Search tools, resources, prompts and views"
        value={typed}
        autofocus
        onKeyDown={onKey}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setAt(0);
        }}
      />
      <div id="found" role="listbox" aria-label="Found" class="found">
        {found.map((one, index) => (
          <div key={index} id={`found-${index}`} role="option" aria-selected={index === at} onClick={() => open(one)}>
            <span class="type">{one.view}</span> <span class="name">{visible(one.item ?? "")}</span>{" "}
            <span class="about">{visible(one.about).slice(0, 100)}</span>
          </div>
        ))}
      </div>
      {found.length === 0 ? <p class="about">Nothing has these words.</p> : null}
    </Dialog>
  );
}

function find(target: number, typed: string): readonly Found[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text: string): boolean => words.every((word) => text.includes(word));
  const found: Found[] = VIEWS.filter(fits).map((view) => ({ view, about: "" }));
  const kinds = [
    ["tools", "tools"],
    ["resources", "resources"],
    ["templates", "resources"],
    ["prompts", "prompts"],
  ] as const;
  for (const [of, view] of kinds) {
    for (const item of listOf(target, of)?.items ?? []) {
      if (found.length >= MAX_FOUND) return found;
      if (fits(searchText(item)))
        found.push({
          view,
          item: String(item["uri"] ?? item["uriTemplate"] ?? item["name"]),
          about: textOf(item["title"] ?? item["description"]),
        });
    }
  }
  return found;
}
