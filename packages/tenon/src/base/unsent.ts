/**
 * @internal How much this process holds for HTTP clients that have not read it: bytes of replies, and characters of streams. One counter
 * for all endpoints, because they share the memory; each compares it with its option `limits.maxUnsent`. What the operating system buffers
 * is not counted: it does not grow with the number of clients.
 */
export const unsent: { size: number } = { size: 0 };
