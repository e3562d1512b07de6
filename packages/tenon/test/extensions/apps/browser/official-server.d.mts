/** Types of `official-server.mjs`: those of the official package need types of Node packages that do not compile here. */
export function officialHandler(onDeclared: (declared: unknown) => void): { fetch(request: Request): Promise<Response> };
