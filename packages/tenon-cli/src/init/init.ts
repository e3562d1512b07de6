/** `tenon init`: the command's declaration. Its code is loaded when it runs. */
import type { Command } from "../invocation.ts";

export const init: Command = {
  summary: "write a new server project, with a test, a place to host it and a workflow",
  usage: [
    "init [folder] [--transport stdio|http|both] [--schema zod|valibot|json] [--no-tests] [--docker | --template name] [--ci] [--description text] [--author name]",
  ],
  options: ["name", "description", "author", "transport", "schema", "no-tests", "docker", "template", "ci", "yes", "json"],
  optionHelp: {
    name: ["--name name", "the name of the package and of the server (default: the folder's)"],
    description: ["--description text", "what the server does, in package.json and in bundles"],
    author: ["--author name", "who makes it (default: init-author-name of npm, or user.name of git)"],
    template: ["--template name", "where it is hosted: docker, cloudflare, vercel, fly, lambda or render"],
    ci: ["--ci", "with a workflow that checks it, and publishes it to npm and the MCP registry"],
    yes: ["--yes", "ask nothing, and take the defaults"],
  },
  about: "It asks at a terminal for what no option says, and replaces no file.",
  examples: ["tenon init weather", "tenon init weather --yes --transport both --docker", "tenon init weather --template cloudflare --ci"],
  run: async (invocation) => (await import("./write-project.ts")).init(invocation),
};
