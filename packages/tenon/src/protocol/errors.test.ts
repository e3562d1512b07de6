import { describe, expect, test } from "vitest";
import { McpError, NoBackChannelError } from "../jsonrpc/mcp-error.ts";
import {
  MissingClientCapabilityError,
  ResourceNotFoundError,
  StatelessModeNotSupported,
  UnsupportedVersionError,
  UrlElicitationRequiredError,
} from "./errors.ts";
import { reviveError } from "./error-revival.ts";

const page = { mode: "url", message: "Sign in", url: "https://a.example", elicitationId: "1" } as const;

describe("UrlElicitationRequiredError", () => {
  test("carries the pages and names their number [ER-06 ER-07]", () => {
    expect(new UrlElicitationRequiredError([page]).toErrorData()).toEqual({
      code: -32042,
      message: "URL elicitation required",
      data: { elicitations: [page] },
    });
    expect(new UrlElicitationRequiredError([]).message).toBe("URL elicitation required");
    expect(new UrlElicitationRequiredError([page, page]).message).toBe("URL elicitations required");
    expect(new UrlElicitationRequiredError([page], "Now").elicitations).toEqual([page]);
  });

  test("is rebuilt from its error object, message word for word [ER-08]", () => {
    const error = UrlElicitationRequiredError.fromErrorData({
      code: -32042,
      message: "one, two",
      data: { elicitations: [page, page] },
    });
    expect(error.message).toBe("one, two");
    expect(error.elicitations).toEqual([page, page]);
    for (const data of [undefined, null, {}])
      expect(UrlElicitationRequiredError.fromErrorData({ code: -32042, message: "", data }).elicitations).toEqual([]);
  });

  test("another code is a mistake, and so are malformed pages [ER-08]", () => {
    expect(() => UrlElicitationRequiredError.fromErrorData({ code: -32041, message: "" })).toThrow(
      "Expected error code -32042, got -32041",
    );
    for (const elicitations of [5, [null], [{ ...page, mode: "form" }], [{ ...page, elicitationId: 1 }]]) {
      expect(() => UrlElicitationRequiredError.fromErrorData({ code: -32042, message: "", data: { elicitations } })).toThrow(
        TypeError,
      );
    }
  });
});

test("a page without a mode is sent with it, and comes back as the class, also from a server that leaves it out [ER-09]", () => {
  const asked = { message: "Authorization required", url: "https://example.com/oauth/authorize", elicitationId: "auth-001" };
  const sent = new UrlElicitationRequiredError([asked]).toErrorData();
  expect(sent.data).toEqual({ elicitations: [{ mode: "url", ...asked }] });
  for (const data of [sent, { ...sent, data: { elicitations: [asked] } }]) {
    const error = reviveError(data);
    expect(error).toBeInstanceOf(UrlElicitationRequiredError);
    expect((error as UrlElicitationRequiredError).elicitations).toEqual([{ mode: "url", ...asked }]);
  }
});

describe("errors that arrive", () => {
  test.each([
    [UrlElicitationRequiredError, { code: -32042, message: "m", data: { elicitations: [page], more: 1 } }],
    [ResourceNotFoundError, { code: -32002, message: "m", data: { uri: "a:b", more: 1 } }],
    [MissingClientCapabilityError, { code: -32021, message: "m", data: { requiredCapabilities: { sampling: {} } } }],
    [UnsupportedVersionError, { code: -32022, message: "m", data: { supported: ["2026-07-28"], requested: "x" } }],
  ])("%o are of their own class and keep what was sent [ER-09 ER-03]", (kind, data) => {
    const error = reviveError(data);
    expect(error).toBeInstanceOf(kind);
    expect(error.toErrorData()).toEqual(data);
  });

  test.each([
    { code: -32042, message: "m", data: { elicitations: [5] } },
    { code: -32002, message: "m" },
    { code: -32021, message: "m", data: { requiredCapabilities: ["sampling"] } },
    { code: -32022, message: "m", data: { supported: [1], requested: "x" } },
    { code: -32022, message: "m", data: null },
  ])("malformed data leaves a plain error: %j [ER-09]", (data) => {
    const error = reviveError(data);
    expect(error.constructor).toBe(McpError);
    expect(error.toErrorData()).toEqual(data);
  });
});

test("the missing capabilities are an object [A3.12]", () => {
  const error = new MissingClientCapabilityError({ elicitation: { url: {} } });
  expect(error.message).toBe('Missing required client capability "elicitation.url" (option "onElicit" of the client)');
  expect(new MissingClientCapabilityError({}).message).toBe("Missing required client capability");
  expect(error.toErrorData()).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } });
});

test("the versions that are served come with the one that was asked for [A5.2]", () => {
  expect(new UnsupportedVersionError(["a"], "b").toErrorData()).toMatchObject({
    code: -32022,
    data: { supported: ["a"], requested: "b" },
  });
});

test("a stateless channel cannot ask: instanceof works for both names [ER-11 CF-12]", () => {
  const error = new StatelessModeNotSupported("sampling");
  expect(error).toBeInstanceOf(NoBackChannelError);
  expect(error).toMatchObject({ code: -32600, method: "sampling", name: "StatelessModeNotSupported" });
  expect(error.message).toMatch(/^Cannot use sampling in stateless/);
});
