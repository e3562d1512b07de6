/** The text of docs/project/works-with.md. */
export function asPage(results: object, field: object, languages: object): string;
