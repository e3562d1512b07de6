export function askAgent(
  command: string,
  task: string,
  folder: string,
  options: { readonly skills: boolean; readonly limit: number },
): Promise<string | undefined>;
