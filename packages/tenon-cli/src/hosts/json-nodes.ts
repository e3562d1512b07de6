/** Finds properties in the tree of a JSON text, and what follows them: commas and comments. */
import { createScanner, type Node } from "jsonc-parser/lib/esm/main.js";
import { EditError, placeAt } from "./file-edit.ts";

export function nameOf(property: Node): string {
  return String(property.children![0]!.value);
}

/** The only property of that name, or undefined. @throws EditError if there are several */
export function propertyOf(text: string, object: Node, name: string): Node | undefined {
  const [found, second] = (object.children ?? []).filter((property) => nameOf(property) === name);
  if (second !== undefined) throw new EditError(`it has ${JSON.stringify(name)} twice (${placeAt(text, second.offset)})`);
  return found;
}

/** Where the text after a property goes on. */
export interface Following {
  /** The offset behind the comma that follows; undefined without one. */
  readonly comma: number | undefined;
  /** The offset behind the last comment on the line of the property, and behind its comma. */
  readonly lineEnd: number;
}

/** Token kinds of `jsonc-parser`. Its enum exists only while compiling, so its numbers stand here. */
const Token = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, blank: 15 } as const;

/** Reads what follows a property on its line: a comma and comments. */
export function followingOf(text: string, offset: number): Following {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let comma: number | undefined;
  let lineEnd = offset;
  for (;;) {
    const kind: number = scanner.scan();
    const end = scanner.getTokenOffset() + scanner.getTokenLength();
    if (kind === Token.comma && comma === undefined) comma = end;
    else if (kind === Token.blockComment && scanner.getTokenValue().includes("\n")) break;
    else if (kind === Token.blank) continue;
    else if (kind !== Token.lineComment && kind !== Token.blockComment) break;
    lineEnd = end;
  }
  return { comma: comma ?? laterComma(text, offset), lineEnd };
}

/** A comma on a later line, behind comments. */
function laterComma(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  const kind: number = scanner.scan();
  return kind === Token.comma ? scanner.getTokenOffset() + 1 : undefined;
}
