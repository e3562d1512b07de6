// The name by which a host shows what a server offers, as it arrives on every revision.
import { expect, it } from "vitest";
import { connect, displayName, McpServer } from "tenon";
import { REVISIONS } from "../support/matrix.ts";

/** Revisions whose tools have annotations, and those whose entries have titles. */
const hasAnnotations = (revision: string): boolean => revision >= "2025-03-26";
const hasTitles = (revision: string): boolean => revision >= "2025-06-18";

it.each(REVISIONS)("is the title, else the title of the annotations, else the name: %s [K1.5]", async (revision) => {
  const server = new McpServer({ name: "shop", title: "The shop", version: "1" });
  server.tool("both", { title: "Title", annotations: { title: "Of annotations" } }, () => "");
  server.tool("annotated", { annotations: { title: "Of annotations" } }, () => "");
  server.tool("plain", {}, () => "");
  server.prompt("greet", { title: "Greet someone" }, () => "Hello");
  await using client = await connect(server, { revision });
  const names: string[] = [];
  for await (const tool of client.tools()) names.push(displayName(tool));
  for await (const prompt of client.prompts()) names.push(displayName(prompt));
  const annotated = hasAnnotations(revision) ? "Of annotations" : "annotated";
  const titled = (title: string, otherwise: string): string => (hasTitles(revision) ? title : otherwise);
  expect(names).toEqual([
    titled("Title", hasAnnotations(revision) ? "Of annotations" : "both"),
    annotated,
    "plain",
    titled("Greet someone", "greet"),
  ]);
  expect(displayName(client.serverInfo!)).toBe(titled("The shop", "shop"));
});

it("passes over an empty title, and one that is not a text", () => {
  expect(displayName({ name: "a", title: "", annotations: { title: "" } })).toBe("a");
  expect(displayName({ name: "a", annotations: { title: 1 } })).toBe("a");
});
