/** The operations of a GraphQL file as a server: nothing else of the schema can be reached. */
import { buildSchema, GraphQLError } from "graphql";
import { buildSchema as buildSchema17, graphql as run17 } from "graphql-17";
import { expect, it } from "vitest";
import { connect } from "tenon/client";
import { fromProcedures, graphql } from "tenon/procedures";
import { McpServer } from "tenon/server";

const SDL = `
  enum Kind { CAT DOG }
  input PetInput { "Its name" name: String! kind: Kind! parents: [PetInput!] }
  type Pet { id: ID! name: String! }
  type Query { pet(id: ID!): Pet secret: String }
  type Mutation { addPet(pet: PetInput!, count: Int = 1): Pet }
  type Subscription { ticks(to: Int!): Int }
`;
const OPERATIONS = `
  # Find a pet by its number.
  query getPet($id: ID!) { pet(id: $id) { ...Whole } }
  mutation addPet($pet: PetInput!, $count: Int = 1) { addPet(pet: $pet, count: $count) { id name } }
  subscription ticks($to: Int!) { ticks(to: $to) }
  fragment Whole on Pet { id name }
`;
const rootValue = {
  pet: ({ id }: { id: string }, { user }: { user: string }) => {
    if (id === "0") throw new GraphQLError("No such pet", { extensions: { code: "NOT_FOUND" } });
    if (id === "1") throw new Error("password of the database");
    return { id, name: `Rex of ${user}` };
  },
  addPet: ({ pet, count }: { pet: { name: string }; count: number }) => ({ id: String(count), name: pet.name }),
  ticks: async function* ({ to }: { to: number }) {
    for (let n = 1; n <= to; n++) yield { ticks: n };
  },
};

function source() {
  return graphql({ schema: buildSchema(SDL), operations: OPERATIONS, rootValue, context: () => ({ user: "ada" }) });
}

it("each named operation is a tool whose arguments are its variables", async () => {
  const { tools } = await fromProcedures(source());
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  const listed = (await client.listTools()).tools;
  expect(listed.map(({ name }) => name)).toEqual(["getPet", "addPet", "ticks"]);
  expect(listed[0]).toMatchObject({
    description: "Find a pet by its number.",
    annotations: { readOnlyHint: true },
    inputSchema: { properties: { id: { type: "string" } }, required: ["id"] },
  });
  expect(listed[1]?.inputSchema).toMatchObject({
    required: ["pet"],
    properties: { pet: { $ref: "#/$defs/PetInput" }, count: { type: "integer" } },
    $defs: {
      PetInput: { required: ["name", "kind"], properties: { kind: { enum: ["CAT", "DOG"] }, parents: { type: "array" } } },
    },
  });
  expect((await client.callTool("getPet", { id: "7" })).data).toEqual({ pet: { id: "7", name: "Rex of ada" } });
  expect((await client.callTool("addPet", { pet: { name: "Tom", kind: "CAT" } })).data).toEqual({
    addPet: { id: "1", name: "Tom" },
  });
  expect((await client.callTool("ticks", { to: 2 })).data).toEqual({ values: [{ ticks: 1 }, { ticks: 2 }] });
});

it("errors are readable with their codes, and a resolver's own errors are masked", async () => {
  const { tools } = await fromProcedures(source());
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  const missing = await client.callTool("getPet", { id: "0" });
  expect(missing.text).toBe("No such pet (NOT_FOUND)");
  expect(missing._meta).toMatchObject({ "dev.tenon/failure": { code: "NOT_FOUND" } });
  expect(await client.callTool("getPet", { id: "1" }).then(({ text }) => text, String)).not.toContain("password");
  expect((await client.callTool("addPet", { pet: { name: "Tom", kind: "COW" } })).text).toContain("COW");
});

it("an operation without a name, and one that does not fit the schema, are refused at once", async () => {
  await expect(graphql({ schema: SDL, operations: "{ secret }" })).rejects.toThrow("An operation has no name");
  await expect(graphql({ schema: SDL, operations: "query a { nothing }" })).rejects.toThrow("do not fit the schema");
});

it("a server of another version of the library runs the operations", async () => {
  const schema = buildSchema17(SDL);
  const execute = ({ query, operationName, variables }: { query: string; operationName: string; variables: object }) =>
    run17({ schema, source: query, operationName, variableValues: { ...variables }, rootValue, contextValue: { user: "eve" } });
  const { tools } = await fromProcedures(graphql({ schema: SDL, operations: OPERATIONS, execute }));
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  expect((await client.callTool("getPet", { id: "7" })).data).toEqual({ pet: { id: "7", name: "Rex of eve" } });
});
