import { defineCommand } from '../cli/command.ts';
import { type JsonObject, jsonNumber } from '../lib/json.ts';
import type { SeenVal } from '../names/seen-file.ts';
import { column, idColumn, moment } from '../terminal/column.ts';
import { paging } from './shared/options.ts';

export const command = defineCommand({
  summary: 'List your vals',
  description:
    'List your vals, as the service has them. Where it has no list of them, those that this machine has seen there ' +
    'since are shown, and that is said.',
  options: paging,
  examples: ['vals ls', 'vals ls --all --json | jq -r ".[].name"'],
  columns: [
    column('name'),
    column('privacy', 'privacy', 'public'),
    column('version'),
    moment('changed', 'versionCreatedAt', 'updatedAt'),
    idColumn('id'),
  ],
  empty: 'You have no vals yet: write some code into hello.ts, then `vals push hello.ts`.',
  async run({ connect, seen, say }, paging) {
    const { openMyVals } = await import('../names/my-vals.ts');
    const pages = await openMyVals(await connect(), seen, paging);
    if (pages !== undefined) return { kind: 'list', rows: pages };
    say.note('This service has no list of vals: these are yours that this machine has seen there.');
    const { mine } = await seen.recall();
    const { offset = 0, limit = 20, all } = paging;
    const rows = mine
      .reverse()
      .slice(offset, all ? undefined : offset + limit)
      .map(recordOf);
    return { kind: 'list', rows };
  },
});

const recordOf = ({ id, name, version }: SeenVal): JsonObject => ({
  id,
  name,
  ...(version !== undefined && { version: /^\d+$/.test(version) ? jsonNumber(version) : version }),
});
