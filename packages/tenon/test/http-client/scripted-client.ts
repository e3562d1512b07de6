/** A client of a scripted server, on a clock that only the test moves. */
import { connect, type Client, type ConnectOptions, type HttpServerParameters } from "tenon";
import { closing } from "../support/matrix.ts";
import { RecordingClock } from "../support/virtual-clock.ts";
import { scriptedHttp, type Script, type ScriptedHttp } from "./scripted-http.ts";

export interface ScriptedClient {
  readonly http: ScriptedHttp;
  readonly clock: RecordingClock;
  readonly client: Client;
  /** What the client reported, in order. */
  readonly errors: readonly Error[];
}

/** Starts a server of that script and connects a client to it. Both end with the test. */
export async function scriptedClient(
  script: Script,
  { limits, ...options }: ConnectOptions & Pick<HttpServerParameters, "limits"> = {},
): Promise<ScriptedClient> {
  const http = await scriptedHttp(script);
  const clock = new RecordingClock();
  const errors: Error[] = [];
  const onError = (error: Error): void => void errors.push(error);
  const server = { url: http.url, ...(limits && { limits }) };
  const client = await closing(connect(server, { validateOutput: false, clock, onError, ...options }));
  return { http, clock, client, errors };
}
