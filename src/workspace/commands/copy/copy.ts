import { type Context, defineCommand } from '../../../core/command-line/command.ts';
import { text, val } from '../../../core/command-line/value-types.ts';
import { outcomeColumn, versionColumn } from '../../../core/commands/shared/columns.ts';
import { dryRun } from '../../../core/commands/shared/options.ts';
import { RefusedError, UsageError } from '../../../core/errors.ts';
import { runBatch } from '../../../core/failures/batch.ts';
import { type Remark, summarizeRemarks } from '../../../core/failures/many.ts';
import type { GivenVal } from '../../../core/find-val/find-val.ts';
import { sh } from '../../../core/lib/hint.ts';
import { column, idColumn } from '../../../core/output/column.ts';
import { serviceName } from '../../manifest.ts';
import { createRemotes, nothingKnown } from '../../read/remotes.ts';

interface Item {
  id: string;
  name: string;
  givenName?: string | undefined;
}

export const command = defineCommand({
  summary: 'Copy vals to another service',
  description:
    'Copy vals from the service in use to another service that you are signed in to, or to a space. Name, readme and ' +
    'privacy are copied if that service accepts them. A val that exists there is replaced if the val here is newer, by ' +
    'the versions of both. Otherwise it is overwritten only with --force.',
  details:
    'For the service of --to, the command uses VALS_TO_TOKEN, or the token that `vals login` stored. ' +
    'To continue after an interruption, run the same command again. Only the current code is copied: to move a whole ' +
    'service with all versions, use `vals backup`.',
  arguments: {
    vals: {
      description: 'names, ids, starts of ids, or files of vals',
      value: val(),
      optional: true,
      repeatable: true,
    },
  },
  options: {
    to: { description: 'the base URL to copy to', value: text('base-url') },
    all: { description: 'copy all your vals' },
    force: { description: 'overwrite vals that were changed on the --to service' },
    dryRun,
  },
  examples: [
    'vals copy hello --to https://vals.example.com',
    'vals copy --all --to https://vals.example.com/@acme',
  ],
  columns: [outcomeColumn, column('name'), versionColumn, idColumn('id')],
  empty: 'You have no vals to copy.',
  async run(context, { vals, to, all, force = false, dryRun = false }) {
    if (to === undefined)
      throw new UsageError('No service to copy to was given.', {
        hint: [
          'To name the service, add --to <base-url>.',
          sh`To list the services that you are signed in to, run ${['use']}.`,
        ],
      });
    if (all && vals.length > 0) {
      throw new UsageError('--all copies every val, so no names can be given.', {
        hint: 'Omit the names, or omit --all.',
      });
    }
    if (!all && vals.length === 0) {
      throw new UsageError('No val to copy was given.', {
        hint: ['Give the names of vals.', 'To copy all your vals, add --all.'],
      });
    }
    const { openTarget } = await import('./copy-target.ts');
    const { copyVal } = await import('./copy-val.ts');
    const api = await context.api();
    const remotes = createRemotes({ api, ...context.vals }, nothingKnown, vals.length);
    const from = { api, remotes, name: serviceName(context.settings) };
    const target = await openTarget(context, to);
    const items = all ? await listItems(context) : namedItems(vals);
    const {
      out: { say },
      host: { signal, env, clock },
    } = context;
    const remarks: Remark[] = [];
    const options = { from, target, env, clock, force, dryRun };
    const tasks = items.map(({ id, name, givenName }) => ({
      row: { name },
      label: name,
      run: () => copyVal({ id, givenName }, options, (remark) => remarks.push(remark)),
    }));
    const wording = { say, verb: 'copied', things: 'vals', progress: 'Copying' };
    const copying = runBatch(tasks, { concurrency: 'auto', signal, ...wording });
    const result = await copying.finally(() => target.seen.save());
    for (const sentence of summarizeRemarks(remarks)) say({ kind: 'warning', text: sentence });
    return result;
  },
});

const namedItems = (vals: readonly GivenVal[]): Item[] =>
  [...new Map(vals.map((val) => [val.id, val])).values()].map(({ id, word, name }) => ({
    id,
    name: word,
    givenName: name,
  }));

async function listItems(context: Context): Promise<Item[]> {
  const listed = await context.vals.valList.all();
  if (listed !== undefined) return listed.map(({ id, name = id }) => ({ id, name }));
  throw new RefusedError('The service cannot list your vals, so --all does not work.', {
    hint: 'Omit --all, and give the names or ids of the vals.',
  });
}
