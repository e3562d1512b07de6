// Measures what one answer costs with hundreds of tools, with and without the options `discovery` and `spill` of a server. No model takes part:
// the reader takes the right tool wherever it is shown, and reads a long result until it has the line that was asked for.
import { createHash } from "node:crypto";
import { countTokens } from "gpt-tokenizer";
import { connect, McpServer } from "tenon";

/** Characters of a result. */
const LENGTH = 40_000;
/** Characters that the reader asks for at once: the most that `read_more` returns. */
const PIECE = 20_000;

const WORDS = "order invoice page ticket open closed paid late for from Ada Berlin in May by mail".split(" ");

const digest = (text) => createHash("sha256").update(text).digest();
const tokensOf = (value) => countTokens(JSON.stringify(value));
const lineOf = (name) => `answer of ${name}: ${digest(name).toString("hex", 0, 4)}`;

/** Eight words that depend on the tool and the row. */
function rowOf(name, row) {
  const words = [...digest(`${name} ${row}`).subarray(0, 8)].map((byte) => WORDS[byte % WORDS.length]);
  return `${row}: ${words.join(" ")}`;
}

/** The result of a tool: rows, and among them the line that the reader wants, at a place that depends on the tool. */
function resultOf(name, index) {
  const at = (LENGTH * ((index * 37) % 100)) / 100;
  const rows = [];
  for (let size = 0, placed = false; size < LENGTH; size += rows.at(-1).length + 1) {
    const isPlace = !placed && size >= at;
    placed ||= isPlace;
    rows.push(isPlace ? lineOf(name) : rowOf(name, rows.length));
  }
  return rows.join("\n");
}

/** A server with these tools, each of which returns its own result. No argument is required, because the reader has none. */
function serverOf(tools, options) {
  const server = new McpServer({ name: "many", version: "1.0.0" }, options);
  for (const [index, { name, title, description, annotations, inputSchema }] of tools.entries()) {
    const { required: _, ...input } = inputSchema;
    const shown = Object.entries({ title, description, annotations }).filter(([, value]) => value !== undefined);
    server.tool(name, { ...Object.fromEntries(shown), input }, () => resultOf(name, index));
  }
  return server;
}

/** Reads a result until it has the line. Returns the tokens that were read and whether the line was among them. */
async function read(client, result, line) {
  let tokens = tokensOf(result.content);
  let text = result.content[0].text;
  const { uri, length } = result._meta?.["dev.tenon/spilled"] ?? { length: text.length };
  while (!text.includes(line) && text.length < length) {
    const piece = { uri, from: text.length, to: Math.min(length, text.length + PIECE) };
    const { content } = await client.callTool("read_more", piece);
    tokens += tokensOf(piece) + tokensOf(content);
    text += content[0].text;
  }
  return { tokens, isRight: text.includes(line) };
}

/** What a list and fifty answers cost with these options. */
async function measure(tools, requests, options) {
  const client = await connect(serverOf(tools, options));
  const listed = [];
  for await (const tool of client.tools()) listed.push(tool);
  const sum = { list: tokensOf(listed), search: 0, result: 0, shown: 0, right: 0 };
  for (const [request, ...right] of requests) {
    const found = options.discovery && (await client.callTool("search_tools", { queries: [request] })).structuredContent.tools;
    if (found) sum.search += tokensOf(found);
    const names = new Set((found ?? listed).map((tool) => tool.name));
    const name = right.find((one) => names.has(one));
    if (name === undefined) continue;
    sum.shown++;
    const result = await (found ? client.callTool("call_tool", { name, arguments: {} }) : client.callTool(name, {}));
    const { tokens, isRight } = await read(client, result, lineOf(name));
    sum.result += tokens;
    sum.right += Number(isRight);
  }
  await client.close();
  return sum;
}

/** Prints a line for each choice of the two options. */
export async function printAnswers(tools, requests) {
  const choices = { neither: {}, spill: { spill: true }, discovery: { discovery: {} }, both: { spill: true, discovery: {} } };
  for (const [title, options] of Object.entries(choices)) {
    const { list, search, result, shown, right } = await measure(tools, requests, options);
    const [perSearch, perResult] = [Math.round(search / requests.length), Math.round(result / shown)];
    console.log(
      `${title}: ${list} tokens of the list, ${perSearch} of a search, ${perResult} of a result, ${list + perSearch + perResult} of one answer in all; ` +
        `right tool shown for ${shown} of ${requests.length}, right result for ${right}`,
    );
  }
}
