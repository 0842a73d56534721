import { UsageError } from '../errors.ts';

export interface NamedVal {
  id: string;
  name: string;
}

const mostShown = 10;

/** A word that stands for two vals stands for none of them. */
export function onlyOne(found: readonly NamedVal[], alike: string): NamedVal | undefined {
  if (found.length <= 1) return found[0];
  const each = found.slice(0, mostShown).map(({ id, name }) => `${id} (${name})`);
  const more = found.length > mostShown ? [`${found.length - mostShown} more`] : [];
  throw new UsageError(`${found.length} vals ${alike}: ${[...each, ...more].join(' and ')}.`, {
    hint: 'Give the whole id of the val that you mean.',
  });
}
