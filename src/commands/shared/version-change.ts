// From which version to which a push went: text says it, JSON has the version alone.
import { type Column, column } from '../../cli/command.ts';
import type { JsonObject, JsonValue } from '../../lib/json.ts';
import { cellText } from '../../terminal/fields.ts';

/** A symbol, so that no JSON has it. */
const versionBefore = Symbol('version before');

export const withVersionBefore = (outcome: JsonObject, before: JsonValue | undefined): JsonObject =>
  before === undefined ? outcome : Object.assign(outcome, { [versionBefore]: before });

export const versionColumn: Column = {
  ...column('version'),
  text(record) {
    const before = cellText((record as { [versionBefore]?: JsonValue })[versionBefore]);
    const after = cellText(record.version);
    return before === '' || after === '' || before === after ? undefined : `v${before} -> v${after}`;
  },
};
