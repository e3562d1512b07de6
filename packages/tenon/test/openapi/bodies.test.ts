/** What arrives at the API for each kind of body. */
import { expect, it } from "vitest";
import type { JsonObject } from "tenon";
import type { OpenApiOptions } from "tenon/openapi";
import { callOnce, clientOf, oneOperation, startApi, textOf } from "./api.ts";

/** A document whose operation takes a body of these media types. */
function taking(content: JsonObject, more: JsonObject = {}): JsonObject {
  return oneOperation({ requestBody: { required: true, content, ...more } }, { method: "post" });
}

async function sent(
  content: JsonObject,
  args: JsonObject,
  options: OpenApiOptions = {},
): Promise<{ type: string; body: string }> {
  const { request, result } = await callOnce(taking(content), args, { options });
  if (request === undefined) throw new Error(textOf(result));
  return { type: request.headers["content-type"]!, body: request.body.toString("latin1") };
}

const base64 = (text: string): string => Buffer.from(text, "latin1").toString("base64");
const FILE = { type: "string", format: "binary" };

it("sends JSON by the type that the document names, and keeps a body that is not an object", async () => {
  expect(await sent({ "application/xml": {}, "application/merge-patch+json": {} }, { body: { a: null } })).toEqual({
    type: "application/merge-patch+json",
    body: '{"a":null}',
  });
  expect((await sent({ "application/json": { schema: { type: "array", items: {} } } }, { body: ["ü"] })).body).toBe(
    Buffer.from('["ü"]').toString("latin1"),
  );
});

it("sends JSON as such if the document takes any type", async () => {
  expect((await sent({ "*/*": { schema: { type: "object" } } }, { body: { a: 1 } })).type).toBe("application/json");
});

it("sends a form: lists repeat their name, objects are JSON, and encoding gives a style", async () => {
  const encoding = { items: { style: "deepObject", explode: true }, tags: { style: "form", explode: false } };
  const body = { name: "a b&c=d", ids: [1, 2], address: { street: "x" }, items: [{ price: 5 }], tags: ["u,v", "w"] };
  expect(await sent({ "application/x-www-form-urlencoded": { schema: { type: "object" }, encoding } }, { body })).toEqual({
    type: "application/x-www-form-urlencoded",
    body: "name=a%20b%26c%3Dd&ids=1&ids=2&address=%7B%22street%22%3A%22x%22%7D&items%5B0%5D%5Bprice%5D=5&tags=u%2Cv,w",
  });
});

it("sends multipart with two files; a name cannot end its header", async () => {
  const schema = {
    type: "object",
    properties: { title: { type: "string" }, meta: { type: "object" }, photo: FILE, docs: { type: "array", items: FILE } },
  };
  const encoding = { photo: { contentType: "image/png, image/jpeg" } };
  const photo = { data: base64("\x89PNG\0"), filename: 'a"b\r\nX-Evil: 1.png' };
  const docs = [{ data: base64("one"), filename: "1.txt", mimeType: "text/plain" }, { data: base64("two") }];
  const { type, body } = await sent(
    { "multipart/form-data": { schema, encoding } },
    { body: { title: "T", meta: { a: 1 }, photo, docs } },
  );
  const boundary = /^multipart\/form-data; boundary=(tenon-[\w-]{22})$/.exec(type)![1]!;
  expect(body.split(boundary).map((part) => part.replace(/^\r\n/, "").replace(/\r\n--$/, ""))).toEqual([
    "--",
    'Content-Disposition: form-data; name="title"\r\n\r\nT',
    'Content-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}',
    'Content-Disposition: form-data; name="photo"; filename="a%22b%0D%0AX-Evil: 1.png"\r\nContent-Type: image/png\r\n' +
      "\r\n\x89PNG\0",
    'Content-Disposition: form-data; name="docs"; filename="1.txt"\r\nContent-Type: text/plain\r\n\r\none',
    'Content-Disposition: form-data; name="docs"; filename="docs"\r\nContent-Type: application/octet-stream\r\n\r\ntwo',
    "--\r\n",
  ]);
});

it("sends text and bytes as they are", async () => {
  expect(await sent({ "text/plain": {} }, { body: "a\nb" })).toEqual({ type: "text/plain", body: "a\nb" });
  expect(await sent({ "application/xml": {} }, { body: "<a/>" })).toEqual({ type: "application/xml", body: "<a/>" });
  expect(await sent({ "application/octet-stream": { schema: FILE } }, { body: { data: base64("\0\xFF") } })).toEqual({
    type: "application/octet-stream",
    body: "\0\xFF",
  });
  expect(await sent({ "image/*": {} }, { body: { data: base64("x"), mimeType: "image/webp" } })).toEqual({
    type: "image/webp",
    body: "x",
  });
});

it("refuses bytes that are not base64 and a type that is not one, and takes resources only with readFile", async () => {
  const document = taking({ "application/octet-stream": {} });
  for (const [body, why] of [
    [{ data: "!!" }, 'has "data" that is not base64'],
    [{ data: "", mimeType: "a/b\r\nX: y" }, "has a mimeType that is not a media type"],
  ] as const) {
    const { request, result } = await callOnce(document, { body });
    expect(request).toBeUndefined();
    expect(textOf(result)).toBe(`The argument "body" ${why}`);
  }
  const form = { type: "object", properties: { scan: { type: "string", format: "binary" } } };
  const inForm = await callOnce(taking({ "multipart/form-data": { schema: form } }), { body: { scan: { data: "!!" } } });
  expect(textOf(inForm.result)).toBe('The argument "body" has a part "scan" that has "data" that is not base64');
  const { result } = await callOnce(document, { body: { uri: "file:///etc/passwd" } });
  expect(textOf(result)).toBe(
    'Invalid arguments for tool "call": body: must have a property "data"; body: must not have a property "uri"',
  );
  const readFile: OpenApiOptions["readFile"] = (uri, { method }) => new TextEncoder().encode(`bytes of ${uri} for ${method}`);
  expect((await sent({ "application/octet-stream": {} }, { body: { uri: "note://1" } }, { readFile })).body).toBe(
    "bytes of note://1 for tools/call",
  );
});

it("sends no body if an optional one is left out, although it has required members", async () => {
  const schema = { type: "object", required: ["a"], properties: { a: { type: "string" } } };
  const document = taking({ "application/json": { schema } }, { required: false });
  const { request } = await callOnce(document, {});
  expect(request?.headers["content-type"]).toBeUndefined();
  expect(request?.body).toHaveLength(0);
  expect((await callOnce(document, { body: {} })).request).toBeUndefined();
});

it("lifts the body's properties into the arguments if none has the name of a parameter", async () => {
  const schema = { type: "object", required: ["name"], properties: { name: { type: "string" }, size: { type: "integer" } } };
  const body = { required: true, content: { "application/json": { schema } } };
  const { url, requests } = await startApi();
  for (const [parameter, args, target] of [
    ["id", { id: "1", name: "n", size: 2 }, "/things?id=1"],
    ["size", { size: "1", body: { name: "n", size: 2 } }, "/things?size=1"],
  ] as const) {
    const document = oneOperation({ parameters: [{ name: parameter, in: "query" }], requestBody: body }, { method: "post" });
    const { client } = await clientOf(document, { baseUrl: url, flatten: true });
    expect((await client.callTool("call", args)).isError).not.toBe(true);
    expect({ target: requests.at(-1)?.target, body: String(requests.at(-1)?.body) }).toEqual({
      target,
      body: '{"name":"n","size":2}',
    });
  }
});

it("calls a parameter named body differently from the body", async () => {
  const document = oneOperation(
    { parameters: [{ name: "body", in: "query" }], requestBody: { content: { "application/json": {} } } },
    { method: "post" },
  );
  const { request } = await callOnce(document, { body: [1], body_query: "q" });
  expect({ target: request?.target, body: String(request?.body) }).toEqual({ target: "/things?body=q", body: "[1]" });
});
