export const isRemote = (url: string): boolean => /^https?:/.test(url);

/** Undefined if the import does not lead to the web. */
export function remoteAddress(specifier: string, from: string | undefined): string | undefined {
  if (isRemote(specifier)) return specifier;
  const isRelative = /^\.{0,2}\//.test(specifier);
  return isRelative && from !== undefined && isRemote(from) ? new URL(specifier, from).href : undefined;
}
