import { argument, defineCommand } from '../cli/command.ts';
import { LocalError } from '../errors.ts';
import { shell } from '../lib/shell-command.ts';
import { visible } from '../lib/visible.ts';
import { cellText, column } from '../terminal/column.ts';
import type { ShownDiff } from '../terminal/result.ts';
import { isDeletedEverywhere, type ShownStatus, shownStatus } from '../workspace/compare.ts';
import { type Examined, unexpectedName } from '../workspace/examine.ts';
import { haveTooManyLines } from '../workspace/text/lines.ts';
import { diffBetween, unifiedDiff } from '../workspace/text/unified-diff.ts';
import { compareVals } from './shared/compare-vals.ts';

export const command = defineCommand({
  summary: 'Show how the files differ from the service',
  description:
    'Show the differences between the files of the workspace and the service as a unified diff. At a terminal, + ' +
    'marks the lines that a push would send. If a val changed only on the service, + marks the lines that a pull ' +
    'would write. In a pipe, - always marks lines of the service, and + marks lines of the file. `patch -p1` can ' +
    'apply this diff.',
  descriptionForAgents:
    'Show the differences between the files of the workspace and the service as unified diffs. - marks lines on the ' +
    'service, + marks lines in the file.',
  arguments: { vals: argument('[val...]', 'names, files or ids of vals (default: the whole workspace)') },
  examples: ['vals diff', 'vals diff hello.ts', 'vals diff --json | jq -r ".[].file"'],
  columns: [column('status'), column('name'), column('file'), column('diff')],
  empty: 'No file of the workspace differs from its val on the service.',
  async run(context, { vals }) {
    let characters = 0;
    const keepsCode = ({ here = '', remote }: Examined) => {
      characters += here.length + (remote?.code.length ?? 0);
      return characters <= mostCharacters;
    };
    const { examined, error } = await compareVals(context, vals, { keepsCode });
    if (error !== undefined) throw error;
    const differing = examined.filter(({ status }) => status !== 'unchanged');
    refuseTooMuch(differing, characters);
    const rows = differing.map((examined) => {
      const { val, here, remote } = examined;
      const diff = unifiedDiff(val.file, remote?.code, here);
      return { file: val.file, name: val.name, status: shownStatus(examined), diff };
    });
    if (rows.length === 0) context.say.hint('No file of the workspace differs from its val on the service.');
    const diffs = differing.map((examined, index): ShownDiff => {
      const { before, after } = sidesOf(examined);
      const patch = rows[index]?.diff ?? '';
      return {
        patch,
        heading: `${examined.val.name} ${meaningOf(examined)}`,
        forTerminal: diffBetween(before, after),
      };
    });
    return { kind: 'diffs', rows, diffs };
  },
});

/**
 * The JSON of a diff must fit into one string. V8 allows 512 million characters in a string, and JSON writes some
 * characters as six characters.
 */
const mostCharacters = 64 * 1_048_576;

function refuseTooMuch(differing: readonly Examined[], characters: number): void {
  const texts = differing.flatMap(({ here = '', remote }) => [here, remote?.code ?? '']);
  const isTooLarge = characters > mostCharacters;
  if (!isTooLarge && !haveTooManyLines(texts)) return;
  const size = isTooLarge ? 'is larger than 64 MB' : 'has more than 2 million lines';
  const [only] = differing;
  throw new LocalError(`The code that differs ${size}, so no diff was made.`, {
    hint:
      only !== undefined && differing.length === 1
        ? `To see the code on the service, run ${shell`vals val get ${only.val.name} --code`}.`
        : `Compare fewer vals at a time, such as ${shell`vals diff ${only?.val.file ?? ''}`}.`,
  });
}

const meanings: Record<ShownStatus, string> = {
  'changed here': 'changed in the workspace. To send the change, run `vals push`.',
  new: 'is not on the service yet. To send the val, run `vals push`.',
  'changed there': 'changed on the service. To write the change into the file, run `vals pull`.',
  conflict: 'changed in the workspace and on the service. To merge both changes, run `vals pull --merge`.',
  'missing here': 'has no file in the workspace. To write the file, run `vals pull`.',
  'deleted there': 'was deleted on the service. To make a new val, run `vals push --fork`.',
  'not yours': 'belongs to another owner. To make a val of your own, run `vals push --fork`.',
  unmerged: 'has conflict markers. Keep the lines you want, remove the markers, then run `vals push`.',
  'renamed here': 'has another name on the service. To rename the val on the service, run `vals push`.',
  unchanged: 'is the same in the workspace and on the service.',
};

const nameTaken =
  'is new in the workspace, but the service already has a val of that name. To merge the file with that val, run `vals pull --merge`.';

function meaningOf(examined: Examined): string {
  if (isDeletedEverywhere(examined))
    return 'is neither in the workspace nor on the service. To remove the val from vals.json, run `vals forget`.';
  const status = shownStatus(examined);
  if (status !== 'conflict') return meanings[status];
  const nameThere = unexpectedName(examined);
  if (nameThere !== undefined)
    return `has the id of the val "${nameThere}" in vals.json. To use the name and the code of that val, run \`vals pull\`.`;
  return examined.isNew ? nameTaken : meanings.conflict;
}

function sidesOf({ val, status, here, remote }: Examined) {
  const version = remote?.version === undefined ? '' : `, version ${visible(cellText(remote.version))}`;
  const service = {
    label: remote === undefined ? 'nothing (service)' : `${val.file} (service${version})`,
    text: remote?.code ?? '',
  };
  const file = {
    label: here === undefined ? 'nothing (here)' : `${val.file} (here)`,
    text: here ?? '',
  };
  const isServiceNewer = status === 'changed there' || status === 'missing here';
  return isServiceNewer ? { before: file, after: service } : { before: service, after: file };
}
