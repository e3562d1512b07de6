/** What arrives at the API for each place, style and explode: OpenAPI 3.1.1, Style Examples. */
import { expect, it } from "vitest";
import type { JsonObject } from "tenon";
import { callOnce, oneOperation, textOf } from "./api.ts";

const EMPTY = "";
const TEXT = "blue";
const LIST = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

/** Place, style, explode, and what arrives for an empty text, a text, a list and an object; undefined where nothing is sent. */
type Row = readonly [
  place: string,
  style: string,
  explode: boolean,
  empty: string | undefined,
  text: string,
  list: string,
  object: string,
];

const ROWS: readonly Row[] = [
  ["path", "matrix", false, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"],
  ["path", "matrix", true, ";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"],
  ["path", "label", false, undefined, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
  ["path", "label", true, undefined, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
  ["path", "simple", false, undefined, "blue", "blue,black,brown", "R,100,G,200,B,150"],
  ["path", "simple", true, undefined, "blue", "blue,black,brown", "R=100,G=200,B=150"],
  ["query", "form", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
  ["query", "form", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
  ["query", "spaceDelimited", false, "color=", "color=blue", "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"],
  ["query", "spaceDelimited", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
  ["query", "pipeDelimited", false, "color=", "color=blue", "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"],
  ["query", "pipeDelimited", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
  [
    "query",
    "deepObject",
    true,
    "color=",
    "color=blue",
    "color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown",
    "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
  ],
  ["header", "simple", false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"],
  ["header", "simple", true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"],
  ["cookie", "form", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
  ["cookie", "form", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
  ["cookie", "cookie", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
  ["cookie", "cookie", true, "color=", "color=blue", "color=blue; color=black; color=brown", "R=100; G=200; B=150"],
];

/** What the API received in the place of the parameter. */
async function sent(parameter: JsonObject, color: unknown): Promise<string | undefined> {
  const place = parameter["in"];
  const path = place === "path" ? "/a/{color}/b" : "/things";
  const { request } = await callOnce(oneOperation({ parameters: [{ name: "color", ...parameter }] }, { path }), { color });
  if (request === undefined) return undefined;
  if (place === "path") return request.target.replace(/^\/a\//, "").replace(/\/b$/, "");
  if (place === "query") return request.target.replace(/^[^?]*\??/, "");
  return place === "header" ? (request.headers["color"] as string) : request.headers.cookie;
}

it.each(ROWS)("%s, %s, explode %s", async (place, style, explode, empty, text, list, object) => {
  const parameter = { in: place, style, explode, required: place === "path" };
  expect(await sent(parameter, TEXT)).toBe(text);
  expect(await sent(parameter, LIST)).toBe(list);
  expect(await sent(parameter, OBJECT)).toBe(object);
  if (place !== "path" || style === "matrix") expect(await sent(parameter, EMPTY)).toBe(empty);
});

it.each([
  ["query", "color=blue&color=black&color=brown"],
  ["header", "blue,black,brown"],
  ["path", "blue,black,brown"],
  ["cookie", "color=blue&color=black&color=brown"],
])("explodes a list in a %s only where that is the default", async (place, list) => {
  expect(await sent({ in: place, required: place === "path" }, LIST)).toBe(list);
});

it.each(["spaceDelimited", "pipeDelimited"])("does not explode %s by default", async (style) => {
  expect(await sent({ in: "query", style }, ["a", "b"])).toMatch(/^color=a%(20|7C)b$/);
});

it("encodes everything that could end a value", async () => {
  expect(await sent({ in: "query", explode: false }, ["a,b", "c&d=e", "f g+h", "!'()*"])).toBe(
    "color=a%2Cb,c%26d%3De,f%20g%2Bh,%21%27%28%29%2A",
  );
  expect(await sent({ in: "query" }, "grün ✓")).toBe("color=gr%C3%BCn%20%E2%9C%93");
});

it("leaves reserved characters if the document allows it, except those that would end the value", async () => {
  expect(await sent({ in: "query", allowReserved: true }, "a/b?c=d:e,f@g;%41&x#y+[z]")).toBe(
    "color=a/b?c=d:e,f@g;%41%26x%23y%2B%5Bz%5D",
  );
});

it("nests deepObject, and writes JSON for values that a style cannot express", async () => {
  expect(await sent({ in: "query", style: "deepObject", explode: true }, { a: { b: [1, { c: true }] }, d: null })).toBe(
    "color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=true",
  );
  expect(await sent({ in: "query" }, [{ a: 1 }])).toBe("color=%7B%22a%22%3A1%7D");
});

it("omits null and empty lists, unless an empty value is allowed", async () => {
  for (const value of [null, [], {}]) expect(await sent({ in: "query" }, value)).toBe("");
  expect(await sent({ in: "query", allowEmptyValue: true }, [])).toBe("color=");
});

it("writes a parameter by its media type", async () => {
  const content = { "application/json": { schema: { type: "object" } } };
  expect(await sent({ in: "query", content }, { a: ["b"] })).toBe("color=%7B%22a%22%3A%5B%22b%22%5D%7D");
  const form = { "application/x-www-form-urlencoded": {} };
  const whole = oneOperation({ parameters: [{ name: "all", in: "querystring", content: form }] }, { openapi: "3.2.0" });
  expect((await callOnce(whole, { all: { a: "b c", d: [1, 2] } })).request?.target).toBe("/things?a=b%20c&d=1&d=2");
});

it.each([[["v; admin=1"]], [[["a", "b; admin=1"]]], [[{ a: "b; admin=1" }]], [[{ "a; admin": 1 }]]])(
  "one cookie never becomes two: %j",
  async ([color]) => {
    for (const explode of [true, false]) {
      const document = oneOperation({ parameters: [{ name: "color", in: "cookie", style: "cookie", explode }] });
      const { request, result } = await callOnce(document, { color });
      expect(request).toBeUndefined();
      expect(textOf(result)).toBe('The argument "color" has ";" or characters that a cookie cannot have');
    }
  },
);

it("refuses a header with a line break, and a cookie with a control character", async () => {
  for (const place of ["header", "cookie"]) {
    const document = oneOperation({
      parameters: [{ name: "color", in: place, style: place === "cookie" ? "cookie" : "simple" }],
    });
    const { request, result } = await callOnce(document, { color: "a\r\nX-Evil: 1" });
    expect(request).toBeUndefined();
    expect(textOf(result)).toMatch(/^The argument "color" has .*characters that a (header|cookie) cannot have$/);
  }
});

it("gives two parameters of one name two arguments, and ignores headers that are not the model's", async () => {
  const parameters = ["path", "query", "header", "cookie"].map((place) => ({
    name: "id",
    in: place,
    required: place === "path",
  }));
  const own = ["Accept", "Authorization", "content-type", "Host", "Cookie", "Transfer-Encoding"].map((name) => ({
    name,
    in: "header",
  }));
  const args = { id: "p", id_query: "q", id_header: "h", id_cookie: "c" };
  const { request } = await callOnce(oneOperation({ parameters: [...parameters.reverse(), ...own] }, { path: "/x/{id}" }), args);
  expect(request?.target).toBe("/x/p?id=q");
  expect(request?.headers).toMatchObject({ id: "h", cookie: "id=c", accept: "*/*" });
});
