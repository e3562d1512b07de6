// `examples/cluster/kubernetes.yaml` fits to the program of the example: its container starts with what the file gives it, its
// probes ask for paths that the program serves, and what ends it gives it the time that it needs. Needs a build.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { connect } from "tenon/client";
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from "vitest";
import { parseAllDocuments } from "yaml";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { freePort } from "../../../../scripts/free-port.mjs";

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}
interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}
interface Container {
  readonly command: readonly [string, string];
  readonly envFrom: readonly [{ readonly secretRef: { readonly name: string } }];
  readonly env: readonly Variable[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}
interface Pod {
  readonly metadata: { readonly labels: object };
  readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: readonly [Container] };
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData: Record<string, string>;
  readonly spec: Record<string, unknown>;
}

const folder = fileURLToPath(new URL("../../../../examples/cluster/", import.meta.url));
const documents = parseAllDocuments(readFileSync(`${folder}kubernetes.yaml`, "utf8"));
const manifests = documents.map((document) => document.toJS() as Manifest);
const ofKind = (kind: string): Manifest => manifests.find((manifest) => manifest.kind === kind)!;
const pod = ofKind("Deployment").spec["template"] as Pod;
const container = pod.spec.containers[0];
/** What the container's environment says, as Kubernetes makes it. */
const variables = {
  ...ofKind("Secret").stringData,
  ...Object.fromEntries(
    container.env.map(({ name, value, valueFrom }) => [name, value ?? `from ${valueFrom!.fieldRef.fieldPath}`]),
  ),
} as Record<string, string>;

let engine: Engine | undefined;
beforeAll(async () => void (engine = await startEngine("redis")));
afterAll(() => engine?.stop());

/** Starts the container's command with its environment, but on a port of this machine and with a Redis that runs. */
function startContainer(env: Record<string, string>): ChildProcess {
  const [, program] = container.command;
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: "", ...variables, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** The status of a probe, which names no host that the server knows; 0 if nothing listens. */
function statusOf({ httpGet }: Probe, port: number): Promise<number> {
  return new Promise((resolve) => {
    const sent = request({ host: "127.0.0.1", port, path: httpGet.path, headers: { host: "10.1.2.3:3000" }, agent: false });
    sent.once("response", (response) => resolve(response.resume().statusCode!));
    sent.once("error", () => resolve(0));
    sent.end();
  });
}

test("all documents are valid, and what names another one names it right", () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(manifests.map(({ kind }) => kind)).toEqual(["Secret", "Deployment", "Service", "PodDisruptionBudget"]);
  const { labels } = pod.metadata;
  expect(ofKind("Deployment").spec["selector"]).toEqual({ matchLabels: labels });
  expect(ofKind("PodDisruptionBudget").spec["selector"]).toEqual({ matchLabels: labels });
  expect(ofKind("Service").spec).toMatchObject({ selector: labels, sessionAffinity: "None", ports: [{ targetPort: "http" }] });
  expect(container.envFrom).toEqual([{ secretRef: { name: ofKind("Secret").metadata.name } }]);
  const [port] = container.ports;
  expect(port).toEqual({ name: "http", containerPort: Number(variables["PORT"]) });
  for (const { httpGet } of [container.readinessProbe, container.livenessProbe]) expect(httpGet.port).toBe(port!.name);
  const { replicas } = ofKind("Deployment").spec;
  expect(ofKind("PodDisruptionBudget").spec["maxUnavailable"]).toBeLessThan(replicas as number);
});

test("a draining node serves until its probe has failed, and is not killed before its calls had their time", () => {
  const [delay, time] = [Number(variables["DRAIN_DELAY"]), Number(variables["DRAIN_TIME"])];
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  expect(delay).toBeGreaterThan(periodSeconds * failureThreshold * 1_000);
  expect(pod.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(delay + time);
});

test("the program reads each variable that the container has", () => {
  const program = readFileSync(`${folder}${container.command[1]}`, "utf8");
  expect(Object.keys(variables).filter((name) => !program.includes(name))).toEqual([]);
});

test("no node starts with the empty key of the file", async () => {
  const child = startContainer({ PORT: "0" });
  let complaints = "";
  child.stderr!.on("data", (text) => (complaints += String(text)));
  const [code] = (await once(child, "close")) as [number];
  expect(code).toBe(1);
  expect(complaints).toMatch(/key/);
});

test("the container is ready, serves a session, and ends in order on SIGTERM", async (context: TestContext) => {
  const { url } = assertStarted(engine, "redis", context);
  const port = await freePort();
  const here = {
    PORT: String(port),
    REDIS_URL: url,
    STATE_KEY: "k".repeat(64),
    ALLOWED_HOSTS: `127.0.0.1:${port}`,
    DRAIN_DELAY: "100",
  };
  const child = startContainer(here);
  const ended = once(child, "exit");
  const statuses = (): Promise<number[]> =>
    Promise.all([container.readinessProbe, container.livenessProbe].map((probe) => statusOf(probe, port)));
  await expect.poll(statuses, { timeout: 100_000 }).toEqual([200, 200]);

  const client = await connect(`http://127.0.0.1:${port}/mcp`, { revision: "2025-11-25" });
  expect((await client.callTool("change")).text).toBe("changed at from metadata.name");
  await client.close();
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
