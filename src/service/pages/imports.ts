import { isLoopback } from '../../lib/host-names.ts';
import { namePattern } from '../../lib/val-limits.ts';
import type { Reader } from '../database/database.ts';
import { type ServiceRequest, spacePrefix } from '../request.ts';
import { idsByName, readableIds } from '../store/page-reads.ts';
import type { Val } from '../store/val-rows.ts';
import type { LinkOf } from './highlight.ts';
import { valAddress } from './parts.ts';

const imported = /\b(?:from|import)\s{0,20}\(?\s{0,20}(["'])([^"'\n]{1,500})\1/g;
const mostImports = 100;
const modulePath = /^(?:\/@[\w-]+)?\/v1\/vals\/([\w-]{1,64})\/module$/;
const neighbour = /^\.\/([^/]+?)(?:\.[cm]?[jt]sx?)?$/;

/** Links from the imports in the code to those vals that the visitor may read. */
export async function importLinks(db: Reader, request: ServiceRequest, val: Val): Promise<LinkOf> {
  const specifiers = [...val.code.matchAll(imported)]
    .slice(0, mostImports)
    .map(([, , specifier = '']) => specifier);
  const { caller, origin, space } = request;
  const targets = new Map(specifiers.map((specifier) => [specifier, targetOf(specifier, origin)]));
  const of = (key: 'id' | 'name') => [
    ...new Set([...targets.values()].flatMap((target) => target[key] ?? [])),
  ];
  const readable = await readableIds(db, caller, of('id'));
  const named = await idsByName(db, caller, val.author, of('name'));
  return (specifier) => {
    const { id = '', name = '' } = targets.get(specifier) ?? {};
    const found = readable.has(id) ? id : named.get(name);
    return found && valAddress(spacePrefix(space), found);
  };
}

/** A val is imported by the address of its module, or by its file, which is named after a val of the same owner. */
function targetOf(specifier: string, origin: string): { id?: string; name?: string } {
  const name = neighbour.exec(specifier)?.[1];
  if (name !== undefined && namePattern.test(name)) return { name };
  if (!/^https?:/.test(specifier) || !URL.canParse(specifier)) return {};
  const address = new URL(specifier);
  const id = modulePath.exec(address.pathname)?.[1];
  return id !== undefined && isSameService(address, new URL(origin)) ? { id } : {};
}

const isSameService = (one: URL, other: URL): boolean =>
  one.origin === other.origin ||
  (one.port === other.port && isLoopback(one.hostname) && isLoopback(other.hostname));
