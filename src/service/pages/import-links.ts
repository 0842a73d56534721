import { namePattern } from '../../lib/val-limits.ts';
import type { Reader } from '../database/database.ts';
import { importsIn, valIdIn } from '../imports.ts';
import { type ServiceRequest, spacePrefix } from '../request.ts';
import { idsByName, readableIds } from '../store/page-reads.ts';
import type { Val } from '../store/val-rows.ts';
import type { LinkOf } from './code-card.ts';
import { valAddress } from './parts.ts';

const neighbour = /^\.\/([^/]+?)(?:\.[cm]?[jt]sx?)?$/;

/** Links from the imports in the code to those vals that the visitor may read. */
export async function importLinks(db: Reader, request: ServiceRequest, val: Val): Promise<LinkOf> {
  const { caller, origin, space } = request;
  const imports = importsIn(val.code);
  const targets = new Map(imports.map((specifier) => [specifier, targetOf(specifier, origin)]));
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

/** A val is imported by its address, or by its file, which is named after a val of the same owner. */
function targetOf(specifier: string, origin: string): { id?: string; name?: string } {
  const name = neighbour.exec(specifier)?.[1];
  if (name !== undefined && namePattern.test(name)) return { name };
  const id = valIdIn(specifier, origin);
  return id === undefined ? {} : { id };
}
