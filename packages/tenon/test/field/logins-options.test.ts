// The options for providers that deviate: what each changes, in every grant, and what it does not loosen.
import { connect as connectTcp } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { deviceCode, MemoryStore, oauth } from "tenon/auth";
import { userLogin } from "tenon/gateway";
import { browse, login, providerWorld } from "./providers.ts";

describe("resource [FD-36]", () => {
  test.each([
    ["false", false, undefined],
    ["a text", "api://notes", "api://notes"],
    ["nothing", undefined, "the server's own"],
  ] as const)("%s counts for authorization, token and refresh", async (_what, resource, sent) => {
    const { use, asked, url } = await providerWorld(undefined, { server: { resourceParameter: "ignore" } });
    const provider = login(resource === undefined ? {} : { resource });
    await use(provider);
    expect(await provider.refresh(url)).toBe(true);
    const seen = [...asked("authorize"), ...asked("token")].map(({ parameters }) => parameters["resource"]);
    expect(seen).toEqual(Array(3).fill(sent === "the server's own" ? url : sent));
    expect(await provider.status(url)).toMatchObject({ resource: url });
  });

  test("counts for a login on another device, and its polls", async () => {
    const { as, use, asked } = await providerWorld(undefined, { server: { resourceParameter: "refuse", devicePollInterval: 1 } });
    const prompt = ({ userCode }: { userCode: string }): void => as.decideDevice(userCode, "approve");
    expect(await use(deviceCode({ prompt, resource: false }))).toBe("user: ");
    for (const { parameters } of [...asked("device_authorization"), ...asked("token")])
      expect(parameters).not.toHaveProperty("resource");
    await expect(use(deviceCode({ prompt }))).rejects.toThrow(/invalid_target|refused/);
  });

  test("a wrong one is refused when the grant is made, also for a gateway", () => {
    for (const resource of ["", "with space", "https://x.example/#part", 7, true, null] as never[])
      for (const make of [oauth, userLogin]) expect(() => make({ resource })).toThrow(/Option "resource" must be/);
  });
});

describe("PKCE that is not advertised [FD-12]", () => {
  test("may be assumed of a named issuer only, and never of one that says it has another method", async () => {
    expect(() => oauth({ assumePkce: true })).toThrow(/"assumePkce" needs option "issuer"/);
    expect(() => userLogin({ assumePkce: true })).toThrow(/"assumePkce" needs option "issuer"/);
    const { as, use, asked } = await providerWorld(undefined);
    for (const methods of [["plain"], []]) {
      as.settings.alterResponse = (response, { endpoint }) =>
        endpoint === "metadata" ? { ...response, code_challenge_methods_supported: methods } : response;
      await expect(use(login({ issuer: as.issuer, assumePkce: true }))).rejects.toThrow(/does not offer PKCE/);
    }
    expect(asked("authorize")).toEqual([]);
  });
});

describe("the callback [FD-37]", () => {
  test("has the host and the path that were asked for, and port 80 is not written", async () => {
    const { use, asked } = await providerWorld(undefined);
    await use(login({ callbackHost: "localhost", callbackPath: "/oauth/back" }));
    expect(asked("authorize")[0]?.parameters["redirect_uri"]).toMatch(/^http:\/\/localhost:\d+\/oauth\/back$/);
  });

  test("of localhost is awaited at loopback addresses only, and a request for another name or path changes nothing", async () => {
    const { use } = await providerWorld(undefined);
    const answers: number[] = [];
    const open = async (page: URL): Promise<void> => {
      const back = new URL(page.searchParams.get("redirect_uri")!);
      const state = page.searchParams.get("state");
      const ask = async (url: string): Promise<void> => void answers.push((await fetch(url)).status);
      await ask(`http://127.0.0.1:${back.port}${back.pathname}?state=${state}&code=stolen`);
      await ask(`http://localhost:${back.port}/other?state=${state}&code=stolen`);
      await browse(page, new AbortController().signal);
    };
    expect(await use(login({ callbackHost: "localhost", open }))).toBe("user: ");
    expect(answers).toEqual([421, 404]);
  });

  test("is used again for the next login, while its port is free", async () => {
    const { use, asked, url } = await providerWorld(undefined);
    const provider = login({ callbackHost: "localhost", callbackPath: "/back" });
    await use(provider);
    await provider.login(url);
    expect(asked("register")).toHaveLength(1);
    expect(new Set(asked("authorize").map(({ parameters }) => parameters["redirect_uri"])).size).toBe(1);
  });

  test("is refused when the grant is made: other hosts, and what is no path", () => {
    for (const callbackHost of ["0.0.0.0", "example.com", "127.0.0.2", "LOCALHOST", "", 7] as never[])
      expect(() => oauth({ callbackHost })).toThrow(/"callbackHost" must be/);
    for (const callbackPath of ["callback", "", "/a?b", "/a#b", "/a b", "/../x", "//evil.example/\\", 7] as never[])
      expect(() => oauth({ callbackPath })).toThrow(/"callbackPath" must be/);
  });

  test("listens on no other address of this machine", async () => {
    const { use } = await providerWorld(undefined);
    const outcomes: string[] = [];
    const open = async (page: URL): Promise<void> => {
      const { port } = new URL(page.searchParams.get("redirect_uri")!);
      const socket = connectTcp({ host: "127.0.0.2", port: Number(port) });
      onTestFinished(() => void socket.destroy());
      outcomes.push(
        await new Promise((resolve) => socket.once("connect", () => resolve("open")).once("error", () => resolve("closed"))),
      );
      await browse(page, new AbortController().signal);
    };
    await use(login({ callbackHost: "localhost", open }));
    expect(outcomes).toEqual(["closed"]);
  });
});

describe("records of an issuer whose name gains or loses its slash [FD-13]", () => {
  test("are found again, and no second login is asked for; the issuer has not changed", async () => {
    const { as, use, asked, url } = await providerWorld(undefined);
    const store = new MemoryStore();
    const provider = (): ReturnType<typeof login> =>
      login({
        store,
        onIssuerChange: () => {
          throw new Error("It is the same issuer");
        },
      });
    await use(provider());
    as.settings.issuerSlash = true;
    expect(await provider().refresh(url)).toBe(true);
    expect(await provider().status(url)).toMatchObject({ issuer: `${as.issuer}/` });
    as.settings.issuerSlash = false;
    expect(await provider().refresh(url)).toBe(true);
    expect(await use(provider())).toBe("user: ");
    expect([asked("register").length, asked("authorize").length]).toEqual([1, 1]);
  });
});
