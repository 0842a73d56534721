import { isLoopback } from '../core/settings/addresses.ts';
import { tokensOf } from './scan-code.ts';

/** Of a val's module or page, below a space or not, with and without a version. */
const valPath = /^(?:\/@[\w-]+)?(?:\/v1)?\/vals\/([\w-]{1,64})(?:\/versions\/\d+)?(?:\/(?:module|raw))?\/?$/;

/** What the code imports, each once: after `from`, `import` or `import(`, but not in comments or other strings. */
function importsIn(code: string): string[] {
  const found = new Set<string>();
  let before = '';
  for (const { text, kind } of tokensOf(code)) {
    if (kind === 'c' || text.trim() === '') continue;
    if (kind === 's' && ['from', 'import', 'import('].includes(before)) found.add(text.slice(1, -1));
    if (text === '(' && before === 'import') before = 'import(';
    // `x.import` is no keyword.
    else before = text === 'import' && kind !== 'k' ? '' : text;
  }
  return [...found];
}

/** The id of the val that the address of a module or page names. Without `origin`, on any service. */
export function valIdIn(specifier: string, origin?: string): string | undefined {
  if (!/^https?:/.test(specifier) || !URL.canParse(specifier)) return undefined;
  const address = new URL(specifier);
  if (origin !== undefined && !isSameService(address, new URL(origin))) return undefined;
  return valPath.exec(address.pathname)?.[1];
}

/** A loopback port may be forwarded, and that of `--local` changes with each command. */
const isSameService = (one: URL, other: URL): boolean =>
  one.origin === other.origin || (isLoopback(one.hostname) && isLoopback(other.hostname));

/** The ids of the vals that the code imports by their addresses. Few codes have one, and only those are scanned. */
export function importedIds(code: string, origin?: string): string[] {
  if (!code.includes('/vals/')) return [];
  return [...new Set(importsIn(code).flatMap((specifier) => valIdIn(specifier, origin) ?? []))];
}
