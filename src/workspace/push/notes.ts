// What a push says beside its rows.
import type { Context } from '../../core/command-line/command.ts';
import { type Hints, hintList, sh, someOf } from '../../core/lib/hint.ts';
import type { Comparison } from '../compare/types.ts';
import { describePresent, wasRolledBack } from '../conflicts.ts';
import type { DeletedFiles } from '../read/deleted-files.ts';
import type { Session } from '../session.ts';
import { hintAbout, nextCommands, wordsOrPlaceholder } from '../states.ts';
import { pathTo, type Workspace } from '../workspace.ts';
import type { BehindStep, CreateStep, Step } from './steps.ts';

const overwriteSetBack = {
  text: 'To overwrite what was set back',
  command: 'push',
  options: ['--force'],
} as const;

/** What went on on the service is not sent, and that is no failure. A version that was restored went on, too. */
export function noteBehind(
  context: Context,
  session: Session,
  steps: readonly BehindStep[],
  { isNamed }: { isNamed: boolean },
): void {
  const pathOf = ({ file }: BehindStep) => pathTo(session.workspace, file);
  const paths = steps.map(pathOf);
  const [first, another] = steps;
  if (first === undefined) return;
  const text =
    another === undefined
      ? `${pathOf(first)} was not sent, because its val changed on the service${describePresent(first.remote, session, first.comparison)}.`
      : `${steps.length} files were not sent, because their vals changed on the service: ${someOf(paths)}.`;
  const setBack = steps.filter(({ comparison }) => wasRolledBack(comparison)).map(pathOf);
  const ways = [
    ...nextCommands('changed there', paths, { isWhole: !isNamed, canPull: first.comparison?.canPull }),
    ...(setBack.length > 0 ? [hintAbout(setBack, overwriteSetBack)] : []),
  ];
  const [them, files] = another === undefined ? ['it', 'the file'] : ['them', 'the files'];
  const inJob = `To keep what the service has, run \`vals pull\` in a clone and commit ${files}; to overwrite ${them}, push with --force.`;
  noteOnce(context, text, ways, `${text} ${inJob}`);
}

/** The service tells no times, so nothing tells a rollback there from the next turn of a flag. */
export function noteResent(context: Context, { workspace }: Session, steps: readonly Step[]): void {
  const all = steps.flatMap((step) =>
    step.kind === 'send' && step.resent
      ? `${pathTo(workspace, step.file)} has ${describeResent(step.resent)}`
      : [],
  );
  if (all.length === 0) return;
  const text = `${someOf(all, { most: 3 })}.`;
  const way =
    'If somebody had taken that code back on the service, take it back in git, too (`git revert`), and push.';
  noteOnce(context, text, way, `${text} ${way}`);
}

export const describeResent = ({ version, replacedBy }: NonNullable<Comparison['resent']>): string =>
  `the code of version ${version} again, which version ${replacedBy} had replaced`;

/** With --force, the id decides, whatever the val is called. */
export function noteOtherNames(
  { out: { say } }: Context,
  { workspace }: Session,
  steps: readonly Step[],
): void {
  for (const step of steps) {
    if (step.kind !== 'send' || ['', step.name].includes(step.remote.name)) continue;
    const { name, id } = step.remote;
    say({
      kind: 'warning',
      text: `${pathTo(workspace, step.file)} was sent to the val "${name}" (${id}), which has that name now.`,
    });
  }
}

/** Somebody else made a version before the list of versions was read, so the number of the pushed one is not known. */
export function noteRaces({ out: { say } }: Context, [first, ...others]: readonly string[]): void {
  if (first === undefined) return;
  const text = `Somebody else made a version during the push of ${someOf([first, ...others])}.`;
  say({ kind: 'note', text: [text, sh`To see which one is current, run ${['version', 'ls', first]}.`] });
}

/** Vals whose files were deleted stay, unless somebody says otherwise. */
export function noteDeletedFiles(context: Context, { missing }: DeletedFiles): void {
  const names = missing.map(({ name }) => name);
  if (names.length === 0) return;
  const deleted = missing.filter(({ movedTo }) => movedTo === undefined).map(({ name }) => name);
  const kept = missing.filter(({ movedTo }) => movedTo !== undefined).map(({ name }) => name);
  const text = `${names.length === 1 ? 'This val has lost its file' : 'These vals have lost their files'}: ${someOf(names)}.`;
  const all = names.length === 1 ? 'it' : 'them';
  const deletion = (some: readonly string[]) =>
    `To delete ${some.length === names.length ? all : someOf(some)} on the service,`;
  const ways = [
    ...(deleted.length === 0 ? [] : [sh`${deletion(deleted)} run ${['push', '--prune']}.`]),
    // A file that is there has the code, so a prune would leave them.
    ...(kept.length === 0
      ? []
      : [sh`${deletion(kept)} run ${['val', 'rm', ...wordsOrPlaceholder(kept, '<val...>')]}.`]),
  ];
  const inJob = deleted.length === 0 ? '' : ` ${deletion(deleted)} add --prune.`;
  noteOnce(context, text, ways, text + inJob);
}

/** A file that was renamed is a new val, as far as vals knows. `made`: the files of new vals. */
export function noteNewNames(
  context: Context,
  { workspace }: Pick<Session, 'workspace'>,
  made: readonly CreateStep[],
  { missing }: DeletedFiles,
): void {
  const renamed = missing.find(({ movedTo }) => made.some(({ file }) => file === movedTo));
  const val = renamed ?? missing[0];
  const create = made.find(({ file }) => file === renamed?.movedTo) ?? made[0];
  if (val === undefined || create === undefined) return;
  const text = `${pathTo(workspace, create.file)} is a new val.`;
  const entry = `If it is a renamed file that shall keep the val "${val.name}", write "${create.file}": "${val.name}" into "names" of vals.json.`;
  const before = sh`Where the service can rename vals, ${['val', 'set', val.name, '--name', create.name]} before the push keeps it, too.`;
  noteOnce(context, text, [entry, before], `${text} ${entry}`);
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
export function noteUnpruned(
  { out: { say } }: Context,
  workspace: Workspace,
  { missing, otherCode }: DeletedFiles,
): void {
  const moved = missing.flatMap(({ name, file, movedTo }) =>
    movedTo === undefined ? [] : [{ name, file, reason: `${pathTo(workspace, movedTo)} has its code` }],
  );
  const noCode = 'its history in git does not have the code that the val has now';
  for (const { name, file, reason } of [
    ...moved,
    ...otherCode.map((each) => ({ ...each, reason: noCode })),
  ]) {
    const text = `The val "${name}" was left, because ${pathTo(workspace, file)} is gone, but ${reason}.`;
    say({ kind: 'note', text: [text, sh`To delete it, run ${['val', 'rm', name]}.`] });
  }
}

/** One line for all. In GitHub Actions it is an annotation, which says what somebody can do who reads it in a browser. */
export function noteOnce(
  { out: { say }, host: { env } }: Context,
  text: string,
  hints: Hints,
  inJob: string,
): void {
  if (env.GITHUB_ACTIONS === 'true') say({ kind: 'lines', text: `::warning::${inJob}`, despite: 'pipe' });
  else say({ kind: 'note', text: [text, ...hintList(hints)] });
}
