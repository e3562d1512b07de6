/** One turn of a model in the form of each provider's API, as one JSON body and as a stream of events. */
import type { Json, Provider } from "./schema-rules.ts";

/** What a model says: text, calls, and why it stopped. */
export interface Turn {
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: Json | string }[];
  /** Ends because there was no room for more. */
  readonly cut?: boolean;
  /** Gemini only: what the model thought before, and why the prompt was blocked. */
  readonly thought?: string;
  readonly blocked?: string;
}

const text = (input: Json | string): string => (typeof input === "string" ? input : JSON.stringify(input));
const usage = { input_tokens: 10, output_tokens: 5 };

/** The whole body. */
export function replyOf(provider: Provider, turn: Turn): Json {
  return { anthropic: anthropicReply, openai: openaiReply, chat: chatReply, gemini: geminiReply }[provider](turn);
}

function anthropicReply({ text: words, calls = [], cut }: Turn): Json {
  const content = [
    ...(words === undefined ? [] : [{ type: "text", text: words, citations: null }]),
    ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
  ];
  const stop = cut === true ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn";
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "scripted-model",
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage,
  };
}

function openaiReply({ text: words, calls = [], cut }: Turn): Json {
  const content = [{ type: "output_text", text: words, annotations: [] }];
  const output = [
    ...(words === undefined ? [] : [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }]),
    ...calls.map(({ id, name, input }) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: text(input),
      status: "completed",
    })),
  ];
  const status = cut === true ? "incomplete" : "completed";
  const details = cut === true ? { reason: "max_output_tokens" } : null;
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    model: "scripted-model",
    status,
    incomplete_details: details,
    output,
    usage: { ...usage, total_tokens: 15 },
  };
}

function chatReply({ text: words, calls = [], cut }: Turn): Json {
  const tools = calls.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: text(input) } }));
  const message = { role: "assistant", content: words ?? null, refusal: null, ...(tools.length > 0 && { tool_calls: tools }) };
  const stop = cut === true ? "length" : tools.length > 0 ? "tool_calls" : "stop";
  const tokens = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  return {
    id: "chat_1",
    object: "chat.completion",
    created: 1,
    model: "scripted-model",
    choices: [{ index: 0, message, finish_reason: stop, logprobs: null }],
    usage: tokens,
  };
}

function geminiReply({ text: words, calls = [], cut, thought, blocked }: Turn): Json {
  if (blocked !== undefined) return { promptFeedback: { blockReason: blocked }, usageMetadata: { totalTokenCount: 10 } };
  const parts = [
    ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
    ...(words === undefined ? [] : [{ text: words }]),
    ...calls.map(({ id, name, input }) => ({
      functionCall: { ...(id !== "" && { id }), name, args: input },
      thoughtSignature: `c2lnbmF0dXJlIG9m${id}`,
    })),
  ];
  const candidate = { content: { role: "model", parts }, finishReason: cut === true ? "MAX_TOKENS" : "STOP", index: 0 };
  return {
    candidates: [candidate],
    modelVersion: "scripted-model",
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  };
}

/** The same as server-sent events. */
export function streamOf(provider: Provider, turn: Turn): string {
  const events = { anthropic: anthropicEvents, openai: openaiEvents, chat: chatEvents, gemini: geminiEvents }[provider](turn);
  const lines = events.map(
    (event) => `${typeof event["type"] === "string" ? `event: ${event["type"]}\n` : ""}data: ${JSON.stringify(event)}\n\n`,
  );
  return lines.join("") + (provider === "chat" ? "data: [DONE]\n\n" : "");
}

/** Two pieces, cut inside an escape if there is one. */
function pieces(whole: string): readonly string[] {
  const at = whole.indexOf("\\") + 1 || Math.ceil(whole.length / 2);
  return [whole.slice(0, at), whole.slice(at)];
}

function anthropicEvents(turn: Turn): readonly Json[] {
  const { content, stop_reason, ...message } = anthropicReply(turn) as Json & { content: Json[] };
  const blocks = content.flatMap((block, index): Json[] => {
    const isText = block["type"] === "text";
    const deltas = isText
      ? pieces(String(block["text"])).map((part) => ({ type: "text_delta", text: part }))
      : pieces(text(block["input"] as Json | string)).map((part) => ({ type: "input_json_delta", partial_json: part }));
    const start = isText ? { ...block, text: "" } : { ...block, input: {} };
    return [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
  });
  return [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
}

function openaiEvents(turn: Turn): readonly Json[] {
  const response = openaiReply(turn);
  const deltas = pieces(turn.text ?? "").filter((part) => part !== "");
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...deltas.map((delta) => ({
      type: "response.output_text.delta",
      delta,
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
    })),
    { type: turn.cut === true ? "response.incomplete" : "response.completed", response },
  ].map((event, index) => ({ ...event, sequence_number: index }));
}

function chatEvents(turn: Turn): readonly Json[] {
  const { choices, usage: tokens, ...rest } = chatReply(turn) as Json & { choices: Json[]; usage: Json };
  const chunk = (delta: Json, stop: unknown = null): Json => ({
    ...rest,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: stop }],
  });
  const calls = (turn.calls ?? []).flatMap(({ id, name, input }, index) => [
    chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
    ...pieces(text(input)).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
  ]);
  const words = pieces(turn.text ?? "").filter((part) => part !== "");
  return [
    chunk({ role: "assistant", content: null }),
    ...words.map((content) => chunk({ content })),
    ...calls,
    chunk({}, choices[0]!["finish_reason"]),
    { ...rest, object: "chat.completion.chunk", choices: [], usage: tokens },
  ];
}

function geminiEvents(turn: Turn): readonly Json[] {
  const words = pieces(turn.text ?? "").filter((part) => part !== "");
  const { candidates, ...rest } = geminiReply(callsOnly(turn)) as Json & { candidates?: Json[] };
  if (candidates === undefined) return [rest];
  const chunk = (part: Json): Json => ({ ...rest, candidates: [{ content: { role: "model", parts: [part] }, index: 0 }] });
  const thoughts = turn.thought === undefined ? [] : [chunk({ text: turn.thought, thought: true })];
  return [...thoughts, ...words.map((part) => chunk({ text: part })), { ...rest, candidates }];
}

function callsOnly({ text: _text, thought: _thought, ...turn }: Turn): Turn {
  return turn;
}
