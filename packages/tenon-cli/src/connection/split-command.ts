/**
 * Splits a command that was typed as one argument into words, as a shell would: quotes and backslashes, and nothing else.
 *
 * Security: no shell is involved, so `$`, `*`, `;` and `|` are ordinary characters.
 */
import { UsageError } from "../failure.ts";

/** One piece of a word: quoted either way, escaped, or plain. A backslash before anything else is itself (a Windows path). */
const PIECE = /"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s"'\\])|([^\s"'\\]+|\\)/y;

/** @throws UsageError if a quote is not closed */
export function splitCommand(command: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < command.length) {
    if (/\s/.test(command[at]!)) at++;
    else {
      const { word, end } = readWord(command, at);
      words.push(word);
      at = end;
    }
  }
  return words;
}

function readWord(command: string, start: number): { word: string; end: number } {
  let word = "";
  let at = start;
  while (at < command.length && !/\s/.test(command[at]!)) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(command);
    if (piece === null) throw new UsageError(`The command has a quote that is not closed: ${command}`);
    const [, double, single, escaped, plain] = piece;
    word += double?.replace(/\\(["\\])/g, "$1") ?? single ?? escaped ?? plain;
    at = PIECE.lastIndex;
  }
  return { word, end: at };
}
