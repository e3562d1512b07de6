// What a row of the demonstration expects. Each function makes a check: it throws where a result is not as expected, and
// returns what the table shows of it.
import { AssertionError, deepEqual, match, ok } from "node:assert/strict";

/** All text of a tool's result. */
export const textOf = ({ content }) =>
  content
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n");

const fits = (text, expected) => (typeof expected === "string" ? deepEqual(text, expected) : match(text, expected));

/** A tool succeeded, with that text. */
export const says = (expected) => (result) => {
  ok(result.isError !== true, `the tool failed: ${textOf(result)}`);
  fits(textOf(result), expected);
  return textOf(result);
};

/** A tool failed, with that text. */
export const toolFails = (expected) => (result) => {
  ok(result.isError === true, "the tool did not fail");
  fits(textOf(result), expected);
  return `isError: ${textOf(result)}`;
};

/** A tool succeeded, with that data. */
export const returns = (expected) => (result) => {
  ok(result.isError !== true, `the tool failed: ${textOf(result)}`);
  if (typeof expected === "function") ok(expected(result.structuredContent), JSON.stringify(result.structuredContent));
  else deepEqual(result.structuredContent, expected);
  return JSON.stringify(result.structuredContent);
};

/** A tool's content is made of exactly these kinds of blocks. */
export const hasBlocks =
  (...types) =>
  (result) => {
    ok(result.isError !== true, `the tool failed: ${textOf(result)}`);
    deepEqual(
      result.content.map((block) => block.type),
      types,
    );
    return types.join(", ");
  };

/** Everything named is in the list, and nothing else. */
export const lists = (key, expected) => (items) => {
  const names = items.map((item) => item[key]);
  deepEqual([...names].sort(), [...expected].sort());
  return `${names.length}: ${names.join(" ")}`;
};

/** A resource was read, with that text, or with bytes. */
export const reads =
  (expected) =>
  ({ contents }) => {
    const [first] = contents;
    ok(first !== undefined, "no contents");
    if (expected instanceof Uint8Array) {
      deepEqual(Uint8Array.from(Buffer.from(first.blob, "base64")), expected);
      return `${expected.length} bytes`;
    }
    const text = first.text ?? Buffer.from(first.blob, "base64").toString();
    fits(text, expected);
    return first.text === undefined ? `bytes: ${text}` : text;
  };

/** A prompt has these messages, `[role, text]`, the kind of a block where it is no text. */
export const prompts =
  (...expected) =>
  ({ messages }) => {
    deepEqual(
      messages.map(({ role, content }) => [role, content.text ?? content.type]),
      expected,
    );
    return messages.map(({ role, content }) => `${role}: ${content.text ?? `[${content.type}]`}`).join(" / ");
  };

export const completes =
  (expected) =>
  ({ completion }) => {
    deepEqual(completion.values, expected);
    return completion.values.join(" ");
  };

/** The result has these members. */
export const equals = (expected) => (result) => {
  deepEqual(result, expected);
  return JSON.stringify(result);
};

/** The call failed with that code and message. */
export const refused = (call) => async () => {
  let result;
  try {
    result = await call();
  } catch (error) {
    return error;
  }
  throw new AssertionError({ message: `it was not refused: ${JSON.stringify(result).slice(0, 100)}` });
};
export const withError = (code, message) => (error) => {
  deepEqual(error.code, code, error.message);
  match(error.message, message);
  return `error ${code}: ${error.message}`;
};
