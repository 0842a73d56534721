// Asks once about everything that a push does only if the user agrees: overwriting, sending older code, deleting.
import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import { DeclinedError } from '../../errors.ts';
import { textOf } from '../../lib/json.ts';
import { visible } from '../../lib/visible.ts';
import { cellText } from '../../terminal/column.ts';
import { ago } from '../../terminal/times.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { earlierVersion } from '../../workspace/examine.ts';
import type { MoveElsewhere } from '../../workspace/other-workspaces.ts';
import { stepFor } from '../../workspace/plan.ts';
import { differInLineEnds } from '../../workspace/text/code-facts.ts';
import { createSimilarityIndex, type SimilarityIndex } from '../../workspace/text/similar.ts';
import { pathTo } from '../../workspace/workspace.ts';
import type { PlannedItem } from './plan-items.ts';
import { versionOfFile } from './version-of-file.ts';

export interface Answer {
  items: readonly PlannedItem[];
  /** The vals that the user does not want to overwrite. */
  declined: ReadonlySet<PlannedItem>;
}

/** What the user is asked during a push. */
export interface Asking {
  dryRun: boolean;
  isAtTerminal: boolean;
  /** Whether a new file is the renamed file of a missing val. A dry run shows the question instead. */
  aboutRenames: boolean;
  /** `refused`: a question is needed, but nobody can be asked. */
  deletions: 'asked' | 'refused' | 'unasked';
}

interface Given {
  yes: boolean;
  force: boolean;
  dryRun: boolean;
}

/** Decided once, before the push is planned. */
export function decideAsking({ prompt, agent }: Context, { yes, force, dryRun }: Given): Asking {
  const isAtTerminal = prompt.isAtTerminal();
  // An agent has the option to delete only if a person allowed it. That is no consent to overwrite a val.
  const mayDelete = yes || dryRun || agent !== undefined;
  const askedIfPossible = isAtTerminal ? 'asked' : 'refused';
  return {
    dryRun,
    isAtTerminal,
    aboutRenames: isAtTerminal && !yes && !force,
    deletions: mayDelete ? 'unasked' : askedIfPossible,
  };
}

interface AskOptions {
  asking: Asking;
  /** With --prune: vals whose files may be in another workspace now. */
  elsewhere?: readonly MoveElsewhere[];
  api: Api;
}

export async function askOnce(
  context: Context,
  planned: readonly PlannedItem[],
  { asking, api, elsewhere = [] }: AskOptions,
): Promise<Answer> {
  const { prompt, say } = context;
  const asked = planned.filter(({ step }) => step?.kind === 'ask');
  const deleted = asking.deletions === 'unasked' ? [] : planned.filter(({ step }) => step?.kind === 'delete');
  const unanswered: Answer = { items: planned, declined: new Set() };
  if (deleted.length > 0) prompt.expectTerminal(deleteInstead);
  const isNothingAsked = asked.length === 0 && deleted.length === 0;
  if (isNothingAsked || !asking.isAtTerminal) return unanswered;
  say({ kind: 'progress' });
  const lines = await Promise.all(
    asked.map(async (item) => lineFor(context, item, await versionOfFile(api, item, asked.length))),
  );
  if (lines.length > 0) {
    const isUnknown = asked.every(({ step }) => step?.why === 'differs');
    const haveOtherNames = asked.some(({ step }) => step?.found.isOlderName);
    const differ = `${haveOtherNames ? 'The code or name' : 'The code'} of these vals on the service differs from the files${isUnknown ? ', and vals has no record of it' : ''}`;
    say({ kind: 'lines', text: `${differ}:\n${lines.join('')}`, despite: 'quiet' });
  }
  const agreed: Answer = { ...unanswered, items: planned.map(agreedItem) };
  if (asking.dryRun) {
    say({ kind: 'note', text: 'A push would ask before it overwrites these vals.' });
    return agreed;
  }
  if (deleted.length > 0) {
    const index = similarFiles(planned);
    const deletions = deleted.map((item) => deletionLine(item, index, elsewhere));
    say({
      kind: 'lines',
      text: `The files of these vals are gone:\n${deletions.join('')}`,
      despite: 'quiet',
    });
  }
  const question = questionFor(asked.length, deleted.length);
  if (await prompt.confirm(question, deleted.length > 0 ? deleteInstead : overwriteInstead)) return agreed;
  if (deleted.length > 0) throw new DeclinedError('Nothing was pushed or deleted.');
  return { ...unanswered, declined: new Set(asked) };
}

const overwriteInstead = 'To overwrite without a question, add --yes.';
const deleteInstead = { text: 'To delete without a question', input: { yes: true } };

function questionFor(overwritten: number, deleted: number): string {
  const overwrite = overwritten === 1 ? 'Overwrite this val' : `Overwrite these ${overwritten} vals`;
  if (deleted === 0) return `${overwrite}?`;
  const gone =
    deleted === 1
      ? 'the val on the service, with all its versions?'
      : `the ${deleted} vals on the service, with all their versions?`;
  return overwritten === 0 ? `Delete ${gone}` : `${overwrite}, and delete ${gone}`;
}

function agreedItem(item: PlannedItem): PlannedItem {
  const { step, workspace, options } = item;
  if (step?.kind !== 'ask' || workspace === undefined || options === undefined) return item;
  const agreed = stepFor(workspace, step.val, step.found, { ...options, mayOverwrite: true });
  return { ...item, step: { ...agreed, isAgreed: true } };
}

function lineFor(
  { clock }: Context,
  { step, workspace }: PlannedItem,
  versionOfFile: number | undefined,
): string {
  if (step === undefined || workspace === undefined) return '';
  const { val, here, record, remote, isOlderName } = step.found;
  const { madeAt, madeBy } = remote?.newestVersion ?? {};
  const path = pathTo(workspace, val.file);
  const earlier = here && earlierVersion(record, here);
  const version = textOf(earlier?.version ?? null) ?? versionOfFile;
  return listLine([
    val.name,
    remote?.version === undefined ? '' : `version ${cellText(remote.version)}`,
    madeAt === undefined ? '' : `changed ${ago(madeAt, clock.now())}`,
    madeBy === undefined ? '' : `by ${madeBy}`,
    path,
    version === undefined ? '' : `(${path} is version ${version})`,
    isOlderName ? `(the val is named "${remote?.name}" now)` : '',
    differInLineEnds(here, remote) ? '(only line ends differ)' : '',
  ]);
}

/** Empty parts are left out. */
const listLine = (parts: readonly string[]): string =>
  `  ${visible(parts.filter((part) => part !== '').join('  '))}\n`;

/** Reading more files would make the user wait for a remark. */
const mostComparedFiles = 500;

/** A file that vals.json lists as another val may be a copy of a missing one. */
function similarFiles(planned: readonly PlannedItem[]): SimilarityIndex {
  const files = planned.filter(({ step }) => step?.found.here !== undefined);
  const codes = files.slice(0, mostComparedFiles).flatMap(({ workspace, val, file }): [string, string][] => {
    const code = workspace && val && readBelow(workspace.root, val.file);
    return code === undefined ? [] : [[file, code]];
  });
  return createSimilarityIndex(new Map(codes));
}

function deletionLine(
  { step, workspace }: PlannedItem,
  index: SimilarityIndex,
  movesElsewhere: readonly MoveElsewhere[],
): string {
  if (step === undefined || workspace === undefined) return '';
  const { val, remote } = step.found;
  const elsewhere = movesElsewhere.find((move) => move.val.file === val.file);
  const [similar] = index.similarTo([workspace.records.of(val)?.code ?? '']);
  return listLine([
    val.name,
    remote?.version === undefined ? '' : `version ${cellText(remote.version)}`,
    pathTo(workspace, val.file),
    similar === undefined ? '' : `(${similar} has similar code)`,
    elsewhere === undefined ? '' : `(${nameElsewhere(elsewhere)})`,
  ]);
}

function nameElsewhere({ other, file, isSameVal }: MoveElsewhere): string {
  const path = pathTo(other, file);
  return isSameVal ? `the val of ${path} too` : `${path} has similar code`;
}
