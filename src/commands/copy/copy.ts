import { textAt } from '../../api/records.ts';
import { runBatch } from '../../cli/batch.ts';
import { defineCommand, toggle, val, word } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { UsageError } from '../../errors.ts';
import { column, idColumn } from '../../terminal/column.ts';
import { outcomeColumn, versionColumn } from '../shared/columns.ts';
import { dryRun } from '../shared/options.ts';

interface Item {
  id: string;
  name: string;
}

export const command = defineCommand({
  summary: 'Copy vals to another service',
  description:
    'Copy vals from the service in use to another service that you are signed in to, or to a space. Name, readme and ' +
    'privacy are copied if that service accepts them. A val that has other code there is not overwritten without --force.',
  details:
    'Each service gets its own token: the other service gets the one that `vals login` stored for it, or VALS_TO_TOKEN. ' +
    'With --versions, a val that has the first versions already gets only the missing ones, so you can run an ' +
    'interrupted copy again. Equal versions in a row count as one.',
  arguments: { vals: val('[val...]', 'names, ids, beginnings of ids, or in a workspace files') },
  options: {
    to: word('--to <base-url>', 'the service, or the space, to copy to'),
    all: toggle('--all', 'every val that is yours'),
    versions: toggle('--versions', 'every version, in order, not only the current code'),
    force: toggle('--force', 'overwrite vals that have other code on that service'),
    dryRun,
  },
  examples: [
    'vals copy hello --to https://vals.example.com',
    'vals copy --all --versions --to https://vals.example.com/@acme',
  ],
  columns: [outcomeColumn, column('name'), versionColumn, idColumn('id')],
  empty: 'You have no vals to copy.',
  jobSummary: true,
  async run(context, { vals: ids, to, all, versions = false, force = false, dryRun = false }) {
    if (to === undefined)
      throw new UsageError('Give the service to copy to: --to <base-url>.', {
        hint: '`vals use` lists the services that you are signed in to.',
      });
    const hint = 'Give the vals to copy, or --all.';
    if (all && ids.length > 0) throw new UsageError('Give either vals or --all, not both.', { hint });
    if (!all && ids.length === 0) throw new UsageError('No val was given.', { hint });
    const { openTarget } = await import('./target.ts');
    const { copyVal } = await import('./copy-val.ts');
    const from = await context.connect();
    const target = await openTarget(context, to, ids.length);
    const items = all ? await listItems(context) : namedItems(context, ids);
    const onFinished = (finished: number) => context.progress.show(`Copying ${finished} of ${items.length}`);
    onFinished(0);
    return runBatch<Item>(items, {
      describe: ({ name }) => ({ name }),
      concurrency: 'auto',
      signal: context.signal,
      onFinished,
      report: { label: ({ name }) => name, say: context.say, verb: 'copied', things: 'vals' },
      work: ({ id }, remark) => copyVal(id, { from, target, versions, force, dryRun }, remark),
    });
  },
});

const namedItems = ({ wordFor }: Context, ids: readonly string[]): Item[] =>
  [...new Set(ids)].map((id) => ({ id, name: wordFor(id) ?? id }));

async function listItems({ connect, seen }: Context): Promise<Item[]> {
  const { openMyVals } = await import('../../names/my-vals.ts');
  const pages = await openMyVals(await connect(), seen, { all: true });
  if (pages === undefined) {
    throw new UsageError('This service cannot list your vals, so --all cannot find them.', {
      hint: 'Give the vals to copy.',
    });
  }
  const items: Item[] = [];
  for await (const { records } of pages) {
    for (const record of records) {
      const id = textAt(record, 'id');
      if (id !== undefined) items.push({ id, name: textAt(record, 'name') ?? id });
    }
  }
  return items;
}
