/** Prompts: plain, with arguments and their completion, with a resource, with an image. */
import { file, image, text } from "tenon/server";
import { PNG } from "./media.mjs";

const user = (content) => ({ role: "user", content });
const strings = (descriptions) => ({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [name, { type: "string", description }]),
  ),
  required: Object.keys(descriptions),
});

export function addPrompts(server) {
  server.prompt("test_simple_prompt", { description: "No arguments" }, () => "This is a simple prompt for testing.");

  server.prompt(
    "test_prompt_with_arguments",
    {
      description: "Two arguments, one with completion",
      input: strings({ arg1: "First test argument", arg2: "Second test argument" }),
      complete: { arg1: (typed) => ["paris", "park", "party"].filter((value) => value.startsWith(typed)) },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  );

  server.prompt(
    "test_prompt_with_embedded_resource",
    { description: "Brings a resource along", input: strings({ resourceUri: "URI of the resource to embed" }) },
    ({ resourceUri }) => [
      user(file(resourceUri, "Embedded resource content for testing.", "text/plain")),
      user(text("Please process the embedded resource above.")),
    ],
  );

  server.prompt("test_prompt_with_image", { description: "Brings an image along" }, () => [
    user(image(PNG, "image/png")),
    user(text("Please analyze the image above.")),
  ]);
}
