/**
 * Splits a line that holds several JSON objects, one after the other: programs that forget the line break between two messages, or
 * write from two threads.
 *
 * It is used only for lines that are not JSON, so that a line with one message costs nothing.
 */
import { jsonIn } from "../../jsonrpc/parse-json.ts";

/** Most messages on one line. */
const MAX_VALUES = 1_000;

/** The objects on a line, with nothing but space between them; undefined if it is anything else, or only one. */
export function splitValues(line: string): string[] | undefined {
  const values: string[] = [];
  for (let start = spaceEnd(line, 0); start < line.length;) {
    const end = objectEnd(line, start);
    if (end === undefined || values.length === MAX_VALUES) return undefined;
    values.push(line.slice(start, end));
    start = spaceEnd(line, end);
  }
  return values.length > 1 && values.every((value) => jsonIn(value) !== undefined) ? values : undefined;
}

const SPACE = /[ \t\r]*/y;

function spaceEnd(line: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(line);
  return SPACE.lastIndex;
}

/** Where the object that begins there ends; undefined if none begins there, or it does not end. */
function objectEnd(line: string, start: number): number | undefined {
  if (line[start] !== "{") return undefined;
  let depth = 0;
  let isText = false;
  for (let i = start; i < line.length; i++) {
    const char = line[i];
    if (isText) {
      if (char === "\\") i++;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return i + 1;
  }
  return undefined;
}
