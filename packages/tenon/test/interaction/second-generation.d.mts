/** What the tests use of the official client of the second generation. */
export interface SecondGeneration {
  connect(transport: object): Promise<void>;
  callTool(params: { name: string }, options: { onprogress(step: { progress: number }): void }): Promise<{ content: unknown }>;
  close(): Promise<void>;
}

/** A client that speaks one revision. */
export function clientOf(revision: string): SecondGeneration;
