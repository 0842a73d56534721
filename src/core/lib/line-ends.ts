export const withPlainLineEnds = (text: string): string => text.replaceAll('\r\n', '\n');

/** Two codes that differ in line ends alone are the same code. */
export const isSameCode = (a: string, b: string): boolean => withPlainLineEnds(a) === withPlainLineEnds(b);
