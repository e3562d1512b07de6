/** The differences of two values, side by side. */
import type { VNode } from "preact";
import { differences } from "../../differences.ts";
import { visible } from "../data/json.ts";

export function Differences({ before, after, names }: { before: unknown; after: unknown; names: readonly [string, string] }): VNode {
  const found = differences(before, after);
  if (found.length === 0) return <p class="good">✓ Both are equal.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Differences">
      <table class="differences">
        <thead>
          <tr>
            <th scope="col">where</th>
            <th scope="col">{names[0]}</th>
            <th scope="col">{names[1]}</th>
          </tr>
        </thead>
        <tbody>
          {found.map(({ path, before: old, after: now }) => (
            <tr key={path}>
              <th scope="row">
                <code>{visible(path || "(whole)")}</code>
              </th>
              <td class="old">{shortText(old)}</td>
              <td class="new">{shortText(now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function shortText(value: unknown): string {
  return value === undefined ? "absent" : visible(JSON.stringify(value)).slice(0, 1_000);
}
