// Helpers for text that must not move a terminal.

/** Characters that move the cursor, ring, hide text or reverse it. A newline is the program's own. */
export const moving =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

/** Restores a value from a field of a tab-separated line. */
const decoded = (field: string): string =>
  field.replace(/\\(u[0-9a-f]{4}|.)/gs, (_match, form: string) => {
    const short: Record<string, string> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
    return short[form] ?? String.fromCharCode(Number.parseInt(form.slice(1), 16));
  });

/** The values of tab-separated lines. */
export const tabRows = (text: string): string[][] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t').map(decoded));
