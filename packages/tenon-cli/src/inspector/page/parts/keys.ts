/** The keys of the page. Each does what a button does too, and single letters do nothing while a field has the focus. */
import { go, VIEWS } from "../data/route.ts";

export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["1 … 9", "go to a view"],
  ["/ or Ctrl K", "search over everything"],
  ["f", "filter of the view"],
  ["j k or ↓ ↑", "move in a list"],
  ["Ctrl ↵", "call, or send"],
  ["r", "the same call again"],
  ["e", "edit the arguments of the call, and call again"],
  [".", "cancel the call"],
  ["g", "follow the newest message"],
  ["Esc", "close, or go back to the list"],
  ["?", "these keys"],
];

/** What a key presses, by the button or field that it belongs to. */
const BUTTONS: Readonly<Record<string, string>> = {
  r: "[data-again]",
  e: "[data-again] + button",
  ".": ".result .state button",
  g: ".bar input[type=checkbox]",
};

/** Listens to keys. Returns a function that stops it. */
export function listenToKeys({ search, help }: { readonly search: () => void; readonly help: () => void }): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if ((ctrlKey || metaKey) && key === "Enter") return press("[data-call], .question .primary", event);
    if ((ctrlKey || metaKey) && key === "k") return act(event, search);
    if (ctrlKey || metaKey || altKey) return;
    if (key === "Escape") return leave(target);
    if (isTyping(target)) return;
    const view = VIEWS[Number(key) - 1];
    if (/^[1-9]$/.test(key) && view !== undefined) act(event, () => go({ view }));
    else if (key === "/") act(event, search);
    else if (key === "?") act(event, help);
    else if (key === "f") act(event, () => document.querySelector<HTMLElement>(".filter")?.focus());
    else if (Object.hasOwn(BUTTONS, key)) press(BUTTONS[key]!, event);
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

function act(event: KeyboardEvent, work: () => void): void {
  event.preventDefault();
  work();
}

function press(selector: string, event: KeyboardEvent): void {
  const button = document.querySelector<HTMLElement>(selector);
  if (button !== null) act(event, () => button.click());
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input:not([type=checkbox], [type=radio]), textarea, select");
}

/** Leaves a field first, and then the item. A question is never closed. */
function leave(target: EventTarget | null): void {
  if (isTyping(target)) (target as HTMLElement).blur();
  else document.querySelector<HTMLElement>(".back")?.click();
}
