export function withTable(text: string, figures: object): string;
export function withPrograms(text: string): string;
export function read(): { text: string; figures: object };
