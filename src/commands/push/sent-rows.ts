import { refuseBatch } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import type { ValsError } from '../../errors.ts';
import type { OutcomeRow } from '../../lib/outcome.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import type { NamedFile } from '../../workspace/sources/val-names.ts';
import { hintAbout } from '../shared/hint-about.ts';

export const fileAndName = ({ file, name }: NamedFile) => ({ file, name });

export const pushWording = (say: Context['say']) => ({ say, verb: 'pushed', things: 'vals' });

/** Nothing is sent, because these files have errors. */
export const refusePush = (
  say: Context['say'],
  items: readonly NamedFile[],
  failures: ReadonlyMap<NamedFile, ValsError>,
): OutcomesResult =>
  refuseBatch(
    items.map((item) => ({ row: fileAndName(item), label: item.file, error: failures.get(item) })),
    { ...pushWording(say), consequence: 'Nothing was sent.' },
  );

const wasSent = ({ status }: OutcomeRow): boolean => status === 'created' || status === 'pushed';

export const isSentWithoutId = (row: OutcomeRow): boolean => wasSent(row) && row.id === undefined;

export function hintAtMissingIds(
  say: Context['say'],
  rows: readonly OutcomeRow[],
  { hasTrackedVals }: { hasTrackedVals: boolean },
): void {
  const count = rows.filter(isSentWithoutId).length;
  if (count === 0) return;
  const which = count === rows.length ? 'the pushed vals' : `${count} of the pushed vals`;
  say({
    kind: 'hint',
    text: [
      `The service sent no id for ${which}. Find the ids of these vals on the service.`,
      hasTrackedVals
        ? { text: 'To make an id known', command: 'pull', input: { vals: true } }
        : { text: 'To use an id', command: 'val get' },
    ],
  });
}

export function hintAtPull(
  say: Context['say'],
  rows: readonly OutcomeRow[],
  { isNamed }: { isNamed: boolean },
): void {
  const files = rows.filter(({ status }) => status === 'behind').map(({ file }) => `${file}`);
  if (files.length === 0) return;
  const which = files.length === 1 ? '1 val' : `${files.length} vals`;
  const pull = { text: 'To write the changes into the files', command: 'pull' };
  say({
    kind: 'hint',
    text: [`${which} changed on the service.`, isNamed ? hintAbout(files, pull) : pull],
  });
}
