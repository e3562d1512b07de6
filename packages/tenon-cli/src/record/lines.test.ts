import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { readLines } from "./lines.ts";

async function linesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  const [stream, lines] = [new PassThrough(), [] as string[]];
  const read = readLines(stream, (line) => void lines.push(line));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await read;
  return lines;
}

test("a line that is too long is passed over to its end, and the next one is read", async () => {
  const piece = "x".repeat(1_000_000);
  expect(await linesOf("a\n", ...Array.from({ length: 11 }, () => piece), "tail\nb\n")).toEqual(["a", "b"]);
});

test("only a line feed ends a line, a character may come in two chunks, and the last line needs no end", async () => {
  const bytes = Buffer.from("ü\u2028ö\r1\n\n2");
  expect(await linesOf(bytes.subarray(0, 1), bytes.subarray(1))).toEqual(["ü\u2028ö\r1", "2"]);
});
