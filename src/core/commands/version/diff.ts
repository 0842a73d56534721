import { defineCommand } from '../../command-line/command.ts';
import { recordOf } from '../../command-line/resolve-vals.ts';
import { versionNumber } from '../../command-line/value-types.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import type { Api } from '../../http/api.ts';
import { codeOf } from '../../http/record-fields.ts';
import { presentAmong, presentVersion, readVersion, versionsOf } from '../../http/versions.ts';
import { type JsonObject, textAt } from '../../lib/json.ts';
import { visible } from '../../lib/visible.ts';
import { column } from '../../output/column.ts';
import { valArgument } from '../shared/options.ts';

export const command = defineCommand({
  summary: 'Show what changed between two versions',
  description:
    'Show the changes between two versions of a val, or between one version and the current code, as a unified diff. ' +
    'Without numbers, show the last change.',
  arguments: {
    val: valArgument,
    a: {
      description: 'the number of the first version (default: the one before the current version)',
      value: versionNumber('a'),
      optional: true,
    },
    b: {
      description: 'the number of the second version (default: the current code)',
      value: versionNumber('b'),
      optional: true,
    },
  },
  examples: ['vals version diff hello', 'vals version diff hello 1', 'vals version diff hello 1 2'],
  columns: [column('a'), column('b'), column('diff')],
  async run({ api: connect, out: { say, forPerson } }, { val, a, b }) {
    const { diffBetween } = await import('../../files/unified-diff.ts');
    const compared = await readBoth(await connect(), val, { a, b, tellsPresent: forPerson });
    if (compared === undefined) {
      say({ kind: 'hint', text: 'There is no version before the current one.' });
      return { kind: 'diffs', rows: [], diffs: [] };
    }
    const { from, before, after, present } = compared;
    const old = codeOf(before);
    const now = codeOf(after);
    const diffOf = (label: string, otherLabel: string) =>
      diffBetween({ label, text: old }, { label: otherLabel, text: now });
    const to = b === undefined ? 'current' : `version ${b}`;
    const shownTo = present === undefined ? to : `version ${present}, current`;
    const diff = diffOf(`version ${from}`, to);
    const name = textAt(after, 'name') ?? textAt(before, 'name') ?? val.name;
    const named = (label: string) => (name === undefined ? label : `${name} (${label})`);
    const forTerminal = diffOf(visible(named(`version ${from}`)), visible(named(shownTo)));
    if (diff === '') say({ kind: 'hint', text: 'The code is the same in both versions.' });
    const row = { id: val.id, a: from, ...(b !== undefined && { b }), diff };
    return { kind: 'diffs', rows: [row], diffs: diff === '' ? [] : [{ patch: diff, forTerminal }] };
  },
});

interface Compared {
  from: number;
  before: JsonObject;
  after: JsonObject;
  /** The version that the val has now, if `after` is the val and the number is shown. */
  present: number | undefined;
}

/** Undefined if no version is given and there is none before the current one. */
async function readBoth(
  api: Api,
  val: GivenVal,
  { a, b, tellsPresent }: { a: number | undefined; b: number | undefined; tellsPresent: boolean },
): Promise<Compared | undefined> {
  if (a === undefined) {
    const [after, versions] = await Promise.all([recordOf(api, val), versionsOf(api, val)]);
    const numbers = versions.map(({ number }) => number);
    const present = presentAmong(numbers, after);
    // Versions may have been deleted in between.
    const from = numbers.findLast((number) => present !== undefined && number < present);
    return from === undefined
      ? undefined
      : { from, before: await readVersion(api, val, from), after, present };
  }
  const [before, after] = await Promise.all([
    readVersion(api, val, a),
    b === undefined ? recordOf(api, val) : readVersion(api, val, b),
  ]);
  const isShown = tellsPresent && b === undefined;
  return { from: a, before, after, present: isShown ? await presentVersion(api, val, after) : undefined };
}
