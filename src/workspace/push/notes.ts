// What a push says beside its rows.
import type { Context } from '../../core/command-line/command.ts';
import { type Hints, hintList, sh, someOf } from '../../core/lib/hint.ts';
import type { Comparison } from '../compare/types.ts';
import { describePresent, wasRolledBack } from '../conflicts.ts';
import type { BehindStep, Step } from '../plan.ts';
import type { Gone } from '../read/gone.ts';
import type { Look } from '../read/look.ts';
import { hintAbout, nextSteps } from '../states.ts';
import { pathTo, type Workspace } from '../workspace.ts';

const overwriteSetBack = {
  text: 'To overwrite what was set back',
  command: 'push',
  options: ['--force'],
} as const;

/** What went on on the service is not sent, and that is no failure. A version that was restored went on, too. */
export function noteBehind(
  context: Context,
  look: Look,
  steps: readonly BehindStep[],
  { isNamed }: { isNamed: boolean },
): void {
  const pathOf = ({ file }: BehindStep) => pathTo(look.workspace, file);
  const paths = steps.map(pathOf);
  const [first, another] = steps;
  if (first === undefined) return;
  const text =
    another === undefined
      ? `${pathOf(first)} was not sent, because its val changed on the service${describePresent(first.remote, look, first.comparison)}.`
      : `${steps.length} files were not sent, because their vals changed on the service: ${someOf(paths)}.`;
  const setBack = steps.filter(({ comparison }) => wasRolledBack(comparison)).map(pathOf);
  const ways = [
    ...nextSteps('changed there', paths, { isWhole: !isNamed, canPull: first.comparison?.canPull }),
    ...(setBack.length > 0 ? [hintAbout(setBack, overwriteSetBack)] : []),
  ];
  const [them, files] = another === undefined ? ['it', 'the file'] : ['them', 'the files'];
  noteOnce(
    context,
    text,
    ways,
    `To keep what the service has, run \`vals pull\` in a clone and commit ${files}; to overwrite ${them}, push with --force.`,
  );
}

/** The service tells no times, so nothing tells a rollback there from the next turn of a flag. */
export function noteAgain(context: Context, { workspace }: Look, steps: readonly Step[]): void {
  const all = steps.flatMap((step) =>
    step.kind === 'send' && step.again
      ? `${pathTo(workspace, step.file)} has ${describeAgain(step.again)}`
      : [],
  );
  if (all.length === 0) return;
  noteOnce(
    context,
    `${someOf(all, { most: 3 })}.`,
    'If somebody had taken that code back on the service, take it back in git, too (`git revert`), and push.',
    'If somebody had taken that code back on the service, take it back in git, too: revert its commit.',
  );
}

export const describeAgain = ({ version, replacedBy }: NonNullable<Comparison['again']>): string =>
  `the code of version ${version} again, which version ${replacedBy} had replaced`;

/** Vals whose files were deleted stay, unless somebody says otherwise. */
export function noteLostFiles(context: Context, { missing }: Gone): void {
  const names = missing.map(({ name }) => name);
  if (names.length === 0) return;
  const [what, files] =
    names.length === 1 ? ['This val has', 'its file'] : ['These vals have', 'their files'];
  const text = `${what} lost ${files}: ${someOf(names)}.`;
  const deletion = `To delete ${names.length === 1 ? 'it' : 'them'} on the service,`;
  noteOnce(context, text, sh`${deletion} run ${['push', '--prune']}.`, `${deletion} add --prune.`);
}

/** Without `privacy` in vals.json the service decides, and some services do not listen to it. */
export function notePublic({ out: { say } }: Context, names: readonly string[]): void {
  if (names.length === 0) return;
  const vals = names.length === 1 ? 'the new val' : 'these new vals';
  say({
    kind: 'note',
    text: [
      `Anybody can read ${vals}: ${someOf(names)}.`,
      sh`To change that, run ${['val', 'set', names.length === 1 ? (names[0] ?? '') : '<val>', '--privacy', 'private']}.`,
    ],
  });
}

/** Vals without a file that --prune does not delete. */
export function noteLeft({ out: { say } }: Context, workspace: Workspace, { left }: Gone): void {
  for (const { name, file, movedTo } of left) {
    const path = pathTo(workspace, file);
    const reason =
      movedTo === undefined
        ? `${path} is gone, but its history in git does not have the code that the val has now`
        : `${path} is gone, but ${pathTo(workspace, movedTo)} has its code`;
    say({
      kind: 'note',
      text: [`The val "${name}" was left, because ${reason}.`, sh`To delete it, run ${['val', 'rm', name]}.`],
    });
  }
}

/** One line for all. In GitHub Actions it is an annotation. */
export function noteOnce(
  { out: { say }, host: { env } }: Context,
  text: string,
  hints: Hints,
  details = '',
): void {
  if (env.GITHUB_ACTIONS === 'true') {
    say({ kind: 'lines', text: `::warning::${text}${details && ` ${details}`}`, despite: 'pipe' });
    return;
  }
  say({ kind: 'note', text: [text, ...hintList(hints)] });
}
