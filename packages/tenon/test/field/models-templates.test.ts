/** URIs as clients write them: fragments, parameters that no template names, parameters of `{;list*}` that are foreign. */
import { expect, it } from "vitest";
import { connect, expandUriTemplate, McpServer } from "tenon";
import { failureOf } from "../support/failure-of.ts";

function server(): McpServer {
  const made = new McpServer({ name: "uris", version: "1.0.0" }, { onError: () => undefined });
  made.resource("note://today", {}, () => "today");
  made.resourceTemplate("note://{id}", {}, ({ id }) => `note ${id}`);
  made.resourceTemplate("notes://all{?q}", {}, (given) => JSON.stringify(given));
  made.resourceTemplate("notes://all{?q,page}", {}, ({ page }) => `page ${page}`);
  made.resourceTemplate("list://x{;list*}", {}, ({ list }) => list.join());
  return made;
}

it.each([
  ["note://today#top", "today"],
  ["note://1#top", "note 1"],
  ["notes://all?utm=1", "{}"],
  ["notes://all?q=a&utm=1#x", '{"q":"a"}'],
  ["notes://all?page=2", "page 2"],
  ["list://x;list=1;list=2", "1,2"],
  [expandUriTemplate("list://x{;list*}", { list: ["a;b", "", "#"] }), "a;b,,#"],
])("%s is read as %s [FD-77]", async (uri, text) => {
  await using client = await connect(server());
  expect((await client.readResource(uri)).contents).toMatchObject([{ uri, text }]);
});

it.each(["list://x;list=1;other=2", "list://x;other=2", "note://1?x=1"])("%s is not found [FD-77]", async (uri) => {
  await using client = await connect(server());
  expect(await failureOf(client.readResource(uri))).toMatchObject({ code: -32602 });
});
