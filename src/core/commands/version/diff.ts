import { defineCommand } from '../../command-line/command.ts';
import { versionNumber } from '../../command-line/value-types.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import type { Api } from '../../http/api.ts';
import { codeOf, textAt, versionOf } from '../../http/record-fields.ts';
import { versionsOf } from '../../http/versions.ts';
import { visible } from '../../lib/visible.ts';
import { column } from '../../output/column.ts';
import * as routes from '../../routes.ts';
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
  async run({ api: connect, out: { say } }, { val, a: first, b }) {
    const { diffBetween } = await import('../../files/unified-diff.ts');
    const api = await connect();
    const a = first ?? (await versionBefore(api, val));
    if (a === undefined) {
      say({ kind: 'hint', text: 'The val has only one version.' });
      return { kind: 'diffs', rows: [], diffs: [] };
    }
    const later = b === undefined ? routes.getVal(val) : routes.getVersion(val, b);
    const [before, after] = await Promise.all([api.record(routes.getVersion(val, a)), api.record(later)]);
    const old = codeOf(before);
    const now = codeOf(after);
    const diffOf = (from: string, to: string) =>
      diffBetween({ label: from, text: old }, { label: to, text: now });
    const from = `version ${a}`;
    const to = b === undefined ? 'current' : `version ${b}`;
    const current = textAt(after, 'version');
    const shownTo = b === undefined && current ? `version ${current}, current` : to;
    const diff = diffOf(from, to);
    const name = textAt(after, 'name') ?? textAt(before, 'name');
    const named = (label: string) => (name === undefined ? label : `${name} (${label})`);
    const forTerminal = diffOf(visible(named(from)), visible(named(shownTo)));
    if (diff === '') say({ kind: 'hint', text: 'The code is the same in both versions.' });
    const row = { id: val.id, a, ...(b !== undefined && { b }), diff };
    return { kind: 'diffs', rows: [row], diffs: diff === '' ? [] : [{ patch: diff, forTerminal }] };
  },
});

/** The highest number below the current version. Versions may have been deleted in between. */
async function versionBefore(api: Api, val: GivenVal): Promise<number | undefined> {
  const current = versionOf(await api.record(routes.getVal(val))) ?? 0;
  const versions = await versionsOf(api, val);
  return versions.findLast(({ number }) => number < current)?.number;
}
