// From which version to which a push went: a person sees both, everything else has the number alone.
import type { JsonObject } from '../../lib/json.ts';
import { type Column, column } from '../../terminal/column.ts';
import { cellText } from '../../terminal/fields.ts';

export const versionColumn: Column = {
  ...column('version'),
  present: (version, { versionBefore }: JsonObject) => {
    const before = cellText(versionBefore);
    const text = before === '' || version === '' || before === version ? version : `${before} → ${version}`;
    return { text };
  },
};
