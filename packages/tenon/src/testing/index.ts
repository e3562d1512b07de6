/** `tenon/testing`: for tests and local work. Do not use it in production. */
export {
  createTestAuthorizationServer,
  startAuthorizationServer,
  type RunningAuthorizationServer,
  type StartAuthorizationServerOptions,
} from "./authorization-server/start.ts";
export type { AccessTokenOptions, TestAuthorizationServer, TokenCount } from "./authorization-server/test-authorization-server.ts";
export type {
  TestAuthorizationServerOptions,
  AuthorizationServerSettings,
  GivenClient,
  ProviderProfile,
  TrustedIssuer,
} from "./authorization-server/options.ts";
export type { ClientAuthenticationMethod, ClientMetadata } from "./authorization-server/clients/client-metadata.ts";
export type { RecordedRequest } from "./authorization-server/recorded-request.ts";
export type { EndpointName } from "./authorization-server/endpoints/endpoints.ts";
export { testClient, type TestClient, type TestClientOptions } from "./test-client.ts";
export type { AskedQuestion, ScriptedElicit, ScriptedSample } from "./scripted-answers.ts";
export { authStoreChecks, type AuthStoreCheck } from "./auth-store-checks.ts";
export { busChecks, type BusCheck } from "./bus-checks.ts";
export {
  defineEvals,
  type EvalAnswer,
  type EvalArguments,
  type EvalExpectation,
  type EvalPrice,
  type EvalsOptions,
  type EvalTask,
  type EvalToolName,
  type ExpectedCall,
} from "./evals.ts";
export { eventLogChecks, type EventLogCheck } from "./event-log-checks.ts";
export { keyedStoreChecks, type KeyedStoreCheck } from "./keyed-store-checks.ts";
export { stateStoreChecks, type StateStoreCheck } from "./state-store-checks.ts";
export { taskStoreChecks, type TaskStoreCheck } from "./task-store-checks.ts";
export { VirtualClock } from "./virtual-clock.ts";
export { Recorder, type RecorderNames } from "./recorder.ts";
