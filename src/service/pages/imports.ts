import { isLoopback } from '../../lib/host-names.ts';
import { namePattern } from '../../lib/val-limits.ts';
import { type ServiceRequest, spacePrefix } from '../request.ts';
import type { Store } from '../store/store.ts';
import type { Val } from '../store/val-rows.ts';
import type { LinkOf } from './highlight.ts';
import { valAddress } from './parts.ts';

const imported = /\b(?:from|import)\s{0,20}\(?\s{0,20}(["'])([^"'\n]{1,500})\1/g;
const mostImports = 100;
const modulePath = /^(?:\/@[\w-]+)?\/v1\/vals\/([\w-]{1,64})\/module$/;
const neighbour = /^\.\/([^/]+?)(?:\.[cm]?[jt]sx?)?$/;

/** Links from the imports in the code to those vals that the visitor may read. */
export async function importLinks(store: Store, request: ServiceRequest, val: Val): Promise<LinkOf> {
  const specifiers = [...val.code.matchAll(imported)]
    .slice(0, mostImports)
    .map(([, , specifier = '']) => specifier);
  const targets = new Map(specifiers.map((specifier) => [specifier, targetOf(specifier, request)]));
  const ids = [...targets.values()].flatMap((target) => target?.id ?? []);
  const names = [...targets.values()].flatMap((target) => target?.name ?? []);
  const found = await store.pages.readableVals(request.caller, val.author, {
    ids: [...new Set(ids)],
    names: [...new Set(names)],
  });
  return (specifier) => {
    const target = targets.get(specifier);
    const read = target && found.find(({ id, name }) => id === target.id || name === target.name);
    return read && valAddress(spacePrefix(request.space), read.id);
  };
}

/** A val is imported by the address of its module, or by its file, which has its name. */
function targetOf(specifier: string, { origin }: ServiceRequest): { id?: string; name?: string } | undefined {
  const name = neighbour.exec(specifier)?.[1];
  if (name !== undefined && namePattern.test(name)) return { name };
  if (!/^https?:/.test(specifier) || !URL.canParse(specifier)) return undefined;
  const address = new URL(specifier);
  const id = modulePath.exec(address.pathname)?.[1];
  return id !== undefined && isSameService(address, new URL(origin)) ? { id } : undefined;
}

const isSameService = (one: URL, other: URL): boolean =>
  one.origin === other.origin ||
  (one.port === other.port && isLoopback(one.hostname) && isLoopback(other.hostname));
