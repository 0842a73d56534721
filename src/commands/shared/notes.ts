import type { Context } from '../../cli/context.ts';
import { RefusedError } from '../../errors.ts';
import { type Hint, type Hints, listOf } from '../../lib/hint.ts';
import { validName } from '../../lib/val-limits.ts';
import { isOn } from '../../settings/settings.ts';
import type { LikelyMove } from '../../workspace/moves.ts';
import type { Step } from '../../workspace/plan.ts';
import { nameFrom } from '../../workspace/sources/val-names.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';

export function notePossibleTakeovers({ flags, say }: Context, files: readonly string[]): void {
  const [file] = files;
  if (file === undefined || flags.json || flags.ndjson) return;
  const reason = 'The service cannot list vals.';
  say({
    kind: 'note',
    text:
      files.length === 1
        ? `${reason} If the service already has a val with the name of ${file}, a push replaces the code of that val.`
        : `${reason} If the service already has vals with the names of ${fileAndOthers(file, files.length - 1)}, a push replaces the code of those vals.`,
  });
}

export const fileAndOthers = (file: string, others: number): string =>
  others === 0 ? file : `${file} and ${others} more ${others === 1 ? 'file' : 'files'}`;

/**
 * If a command was given words, the commands that it proposes name the files that they are about. So they work wherever
 * the command was typed, and change nothing else.
 */
export function hintAbout(files: readonly string[], hint: Hint): Hint {
  const argument = argumentOfFiles[hint.command ?? ''];
  return argument === undefined ? hint : { ...hint, input: { [argument]: listOf(files), ...hint.input } };
}

const argumentOfFiles: Readonly<Record<string, string>> = {
  push: 'paths',
  pull: 'vals',
  diff: 'vals',
  status: 'vals',
};

export function withNameProposed(error: unknown, name: string, hint: (valid: string) => Hints): unknown {
  const valid = validName(name);
  if (!(error instanceof RefusedError) || valid === undefined || valid === name) return error;
  return new RefusedError(error.message, { ...error.facts, hint: hint(valid) });
}

export function warnIfLocalIsSet({ env, say }: Pick<Context, 'env' | 'say'>): void {
  if (!isOn(env.VALS_LOCAL)) return;
  say({
    kind: 'warning',
    text: 'VALS_LOCAL is set, so commands use the embedded service. To use the default service, run `unset VALS_LOCAL`.',
  });
}

/** The val of a moved file keeps its name, because other vals and people may know it by that name. */
export function noteMove(
  { say }: Pick<Context, 'say'>,
  workspace: Workspace,
  { file, name, movedFrom = '' }: WorkspaceVal,
  { dryRun = false }: { dryRun?: boolean } = {},
): void {
  const newName = nameFrom(file) ?? name;
  const moved = `${pathTo(workspace, movedFrom)} was moved to ${pathTo(workspace, file)}.`;
  const manifest = dryRun ? 'A push updates vals.json' : 'vals.json was updated';
  if (newName === name) {
    say({ kind: 'note', text: `${moved} ${manifest}.` });
    return;
  }
  say({
    kind: 'note',
    text: [
      `${moved} ${manifest}, and the val keeps the name "${name}".`,
      { text: 'To rename the val', command: 'val set', input: { val: name, name: newName } },
    ],
  });
}

/** `step` is what a push does with the new file. */
export function likelyMoveText(
  workspace: Workspace,
  { val, to }: LikelyMove,
  step: Step | undefined,
  { dryRun }: { dryRun: boolean },
): string[] {
  const [from, file] = [pathTo(workspace, val.file), pathTo(workspace, to)];
  const { kind, found } = step ?? {};
  return [
    `${from} is missing, and the new file ${file} has similar code.`,
    ...(kind === 'create' ? [`The file ${dryRun ? 'would be' : 'is'} pushed as a new val.`] : []),
    ...(found?.remote === undefined ? [] : [`On the service, ${file} is the val "${found.val.name}".`]),
    `If ${file} is the renamed file of the val "${val.name}", change the entry "${val.file}" in vals.json to "${to}".`,
  ];
}
