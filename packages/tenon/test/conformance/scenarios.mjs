/**
 * What the client does in each scenario of the conformance suite: `options` for `connect()`, `auth`, which makes what
 * authorizes it from the scenario's context and the server's URL, and `play`, the calls.
 *
 * What the suite looks at beyond that (headers, retries, defaults, the order of things) is the SDK's own doing.
 */

import { SkillHost } from "tenon/ext/skills";
import { authScenarios } from "./auth-scenarios.mjs";

const accept = (content) => () => ({ action: "accept", content });
const model = () => ({ role: "assistant", model: "fixture", content: { type: "text", text: "A fixture's answer" } });

/** Everything a client can declare. */
const everything = { onElicit: accept({}), onSample: model, roots: [{ uri: "file:///fixture", name: "fixture" }] };

const collect = async (items) => {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
};

const hostOf = (client) => new SkillHost(client, { approve: () => true });

/** Lists the skills, and loads one that must be refused: a host that loads it fails the scenario. */
const refuseSkill = {
  play: async (client) => {
    const host = hostOf(client);
    const { skills } = await host.list();
    for (const skill of skills) {
      await host.load(skill).then(
        () => Promise.reject(new Error(`${skill.uri} was loaded`)),
        (error) => console.error(String(error)),
      );
    }
  },
};

export const scenarios = {
  ...authScenarios,

  "sep-2640-client-no-prefetch": {
    play: (client) => hostOf(client).list(),
  },
  "sep-2640-client-verify-digest": refuseSkill,
  "sep-2640-client-verify-size": refuseSkill,
  "sep-2640-client-verify-frontmatter": refuseSkill,

  initialize: {
    play: async (client) => {
      await client.listTools();
    },
  },

  tools_call: {
    play: async (client) => {
      await client.listTools();
      await client.callTool("add_numbers", { a: 5, b: 3 });
    },
  },

  "elicitation-sep1034-client-defaults": {
    options: { onElicit: accept({}) },
    play: (client) => client.callTool("test_client_elicitation_defaults"),
  },

  "sse-retry": {
    play: (client) => client.callTool("test_reconnection"),
  },

  "request-metadata": {
    options: everything,
    play: async (client) => {
      await client.listTools();
    },
  },

  "http-standard-headers": {
    play: async (client) => {
      for (const { name } of await collect(client.tools())) await client.callTool(name, {});
      for (const { uri } of await collect(client.resources())) await client.readResource(uri);
      for (const { name } of await collect(client.prompts())) await client.getPrompt(name, {});
    },
  },

  "http-custom-headers": {
    play: async (client, { toolCalls }) => {
      await collect(client.tools());
      for (const { name, arguments: args } of toolCalls) await client.callTool(name, args);
    },
  },

  "http-invalid-tool-headers": {
    play: async (client) => {
      for (const { name } of await collect(client.tools())) await client.callTool(name, { region: "us-west1" });
    },
  },

  "sep-2322-client-request-state": {
    options: { onElicit: accept({ confirmed: true }) },
    play: async (client) => {
      await client.listTools();
      for (const name of ["test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"]) {
        await client.callTool(name);
      }
    },
  },

  "json-schema-ref-no-deref": {
    play: (client) => collect(client.tools()),
  },

  "json-schema-2020-12-preservation": {
    play: async (client) => {
      const tools = await collect(client.tools());
      const { inputSchema } = tools.find(({ name }) => name === "json_schema_2020_12_tool");
      await client.callTool("json_schema_echo", { schema: inputSchema });
    },
  },
};
