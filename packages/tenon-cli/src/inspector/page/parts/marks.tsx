/** What hosts and models stumble over: each finding, with its reason on demand. */
import type { VNode } from "preact";
import type { Mark } from "../../entries.ts";
import { visible } from "../data/json.ts";

/** Most marks that are shown at once. */
const SHOWN = 50;

/** @param isWhole whether each says which tool it is about */
export function Marks({ marks, isWhole }: { marks: readonly Mark[]; isWhole: boolean }): VNode | null {
  if (marks.length === 0) return null;
  return (
    <ul class="findings" aria-label="Findings">
      {marks.slice(0, SHOWN).map(({ rule, level, where, message, explain }, index) => (
        <li key={index}>
          <details>
            <summary>
              <span class={level === "error" ? "bad" : "type"}>{level}</span> {isWhole ? `${visible(where)}: ` : ""}
              {visible(message)}
            </summary>
            <p class="about">
              {explain} ({rule})
            </p>
          </details>
        </li>
      ))}
      {marks.length > SHOWN ? <li>and {marks.length - SHOWN} more: tenon check has all</li> : null}
    </ul>
  );
}
