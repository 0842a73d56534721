import { argument, defineCommand } from '../cli/command.ts';
import { interruptible } from '../lib/signals.ts';
import { column } from '../terminal/column.ts';
import { Differences } from '../terminal/result.ts';

export const diff = defineCommand({
  path: 'diff',
  summary: 'Show how the files differ from the service',
  description:
    'Show how the files of the workspace differ from the service, as a unified diff: - is there, + is here. ' +
    'In a pipe it is what `patch -p1` takes.',
  arguments: { vals: argument('[val...]', 'names, files or ids; all of the workspace when absent') },
  examples: ['vals diff', 'vals diff hello.ts', 'vals diff --json | jq -r ".[].file"'],
  columns: [column('status'), column('name'), column('file'), column('diff')],
  empty: 'Nothing differs.',
  async run(context, { vals }) {
    const { compareVals } = await import('./shared/compare-vals.ts');
    const { unifiedDiff } = await import('../workspace/text/unified-diff.ts');
    const differing = (await compareVals(context, vals)).filter(({ status }) => status !== 'unchanged');
    const rows = await interruptible(() =>
      differing.map(({ val: { file, name }, status, here, remote }) => ({
        file,
        name,
        status,
        diff: unifiedDiff(file, remote?.code, here),
      })),
    );
    if (rows.length === 0) context.hint('Nothing differs.');
    return new Differences(rows, rows.map(({ diff }) => diff).join(''));
  },
});
