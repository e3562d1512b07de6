// Compares what two servers of one folder show and answer, as a client of the official SDK sees it.
import { deepEqual, equal } from "node:assert/strict";

const sorted = (list, by) => list.toSorted((a, b) => (a[by] < b[by] ? -1 : 1));

/** What clients see of a schema: names, types and what is required. Dialects and further keywords may differ. */
const shapeOf = ({ properties = {}, required = [] } = {}) => ({
  properties: Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, type])),
  required: [...required].sort(),
});

const shown = {
  tools: async (client) =>
    sorted((await client.listTools()).tools, "name").map(
      ({ name, title, description, inputSchema, outputSchema, annotations }) => {
        const output = outputSchema && shapeOf(outputSchema);
        return { name, title, description, input: shapeOf(inputSchema), output, readOnly: annotations?.readOnlyHint };
      },
    ),
  prompts: async (client) =>
    sorted((await client.listPrompts()).prompts, "name").map(({ name, description, arguments: all }) => ({
      name,
      description,
      arguments: all?.map((one) => [one.name, one.required ?? false]),
    })),
  resources: async (client) => sorted((await client.listResources()).resources, "uri").map(({ uri, name }) => ({ uri, name })),
};

/** Fails if the new server shows something else than the old one, or answers one of the questions in another way. */
export async function same(old, now, questions) {
  equal(now.getServerVersion()?.name, old.getServerVersion()?.name);
  equal(now.getInstructions(), old.getInstructions());
  for (const [list, read] of Object.entries(shown)) deepEqual(await read(now), await read(old), `it shows other ${list}`);
  for (const [what, ask] of Object.entries(questions)) {
    const [is, was] = await Promise.all([now, old].map((client) => ask(client).then(plain, () => "an error")));
    deepEqual(is, was, `it answers in another way: ${what}`);
  }
}

/** What the program of a client uses of a result. */
function plain({ content, structuredContent, isError, contents, messages }) {
  if (isError) return { isError, text: content.map(({ text }) => text) };
  return { content, structuredContent, contents, messages };
}
