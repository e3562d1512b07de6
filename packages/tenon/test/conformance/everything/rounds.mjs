/** Tools and a prompt that need answers of the client first: some ask by hand, most in a straight line. */
import { inputRequired, text } from "tenon/server";

const form = (name, type) => ({ type: "object", properties: { [name]: { type } }, required: [name] });
const saying = (content) => [{ role: "user", content: text(content) }];

const NAME = { message: "What is your name?", schema: form("name", "string") };
const CONFIRM = { message: "Please confirm", schema: form("ok", "boolean") };

/** A question as it stands in a result, for those who ask by hand. */
const elicitation = ({ message, schema }) => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: schema },
});
const sampling = (prompt, maxTokens) => ({ method: "sampling/createMessage", params: { messages: saying(prompt), maxTokens } });

const spoken = ({ content }) => (content.type === "text" ? content.text : content.type);
const named = (roots) => roots.map(({ uri, name }) => name ?? uri).join(", ");

export function addAskingByHand(server) {
  server.tool("test_input_required_result_elicitation", { description: "Asks for a name" }, (_input, ctx) => {
    const { user_name: answer } = ctx.inputResponses;
    if (answer === undefined) return inputRequired({ inputRequests: { user_name: elicitation(NAME) } });
    return answer.action === "accept" ? `Hello, ${answer.content?.name}!` : "Hello, whoever you are!";
  });

  server.tool("test_input_required_result_sampling", { description: "Asks the model" }, (_input, ctx) => {
    const { capital_question: answer } = ctx.inputResponses;
    if (answer?.content === undefined) {
      return inputRequired({ inputRequests: { capital_question: sampling("What is the capital of France?", 100) } });
    }
    return spoken(answer);
  });

  server.tool("test_input_required_result_list_roots", { description: "Asks for the roots" }, (_input, ctx) => {
    const { client_roots: answer } = ctx.inputResponses;
    if (answer?.roots === undefined) return inputRequired({ inputRequests: { client_roots: { method: "roots/list" } } });
    return `Roots: ${named(answer.roots)}`;
  });

  server.tool("test_input_required_result_capabilities", { description: "Asks what this client can answer" }, (_input, ctx) => {
    const { elicitation: forms, sampling: model, roots } = ctx.client.capabilities;
    const inputRequests = {
      ...(forms && { user_name: elicitation(NAME) }),
      ...(model && { greeting: sampling("Generate a greeting", 50) }),
      ...(roots && { client_roots: { method: "roots/list" } }),
    };
    const missing = Object.keys(inputRequests).filter((name) => ctx.inputResponses[name] === undefined);
    return missing.length === 0 ? "Everything is answered" : inputRequired({ inputRequests });
  });
}

export function addAskingInALine(server) {
  for (const name of ["test_input_required_result_request_state", "test_input_required_result_tampered_state"]) {
    server.tool(name, { description: "Goes on with the state it gave away" }, async (_input, ctx) => {
      const { action } = await ctx.elicit("confirm", CONFIRM);
      return `state-ok, ${action}`;
    });
  }

  server.tool("test_input_required_result_multiple_inputs", { description: "Asks three things at once" }, async (_input, ctx) => {
    const [user, greeting, roots] = await Promise.all([
      ctx.elicit("user_name", NAME),
      ctx.sample("greeting", { messages: saying("Generate a greeting"), maxTokens: 50 }),
      ctx.roots("client_roots"),
    ]);
    return `${spoken(greeting)} ${user.content?.name} in ${named(roots)}`;
  });

  server.tool(
    "test_input_required_result_multi_round",
    { description: "Asks one thing after the other" },
    async (_input, ctx) => {
      const first = await ctx.elicit("step1", { message: "Step 1: What is your name?", schema: form("name", "string") });
      const second = await ctx.elicit("step2", {
        message: "Step 2: What is your favorite color?",
        schema: form("color", "string"),
      });
      return `${first.content?.name} likes ${second.content?.color}`;
    },
  );

  server.prompt("test_input_required_result_prompt", { description: "Asks for its context" }, async (_input, ctx) => {
    const schema = form("context", "string");
    const answer = await ctx.elicit("user_context", { message: "What context should the prompt use?", schema });
    return `Use this context: ${answer.content?.context ?? "none"}`;
  });
}
