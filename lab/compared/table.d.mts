export function withTable(text: string, figures: object): string;
export function read(): { text: string; figures: object };
