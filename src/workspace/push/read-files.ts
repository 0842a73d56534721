// The files of a push. All are read before anything is sent.
import type { Run } from '../../core/command-line/command.ts';
import { LocalError } from '../../core/errors.ts';
import { missingFile } from '../../core/files/file-error.ts';
import { checkNotEmpty, similarFile } from '../../core/files/read-text.ts';
import type { FailedFile, PushedFile } from '../../core/push/refuse-files.ts';
import { type Local, readLocals, sortFiles } from '../read/local.ts';
import type { Look } from '../read/look.ts';
import { pathTo } from '../workspace.ts';

export function readChosen(
  { settings }: Run,
  look: Look,
  chosen: readonly string[] | undefined,
): { locals: Local[]; all: PushedFile[]; failed: FailedFile[] } {
  const { workspace, names } = look;
  const isChosen = chosen === undefined ? undefined : new Set(chosen);
  const { files: usable, problem } = sortFiles(workspace, names, (file) => isChosen?.has(file) ?? true);
  if (problem !== undefined) throw problem;
  const { locals, failed } = readLocals(workspace, usable);
  const problems: FailedFile[] = [...failed];
  for (const file of chosen ?? []) {
    if (names.has(file)) continue;
    const path = pathTo(workspace, file);
    problems.push({ file, name: '', error: missingFile(path, undefined, similarFile(path, settings.cwd)) });
  }
  for (const { file, name, code } of locals) {
    try {
      const cure = chosen === undefined ? 'list the file in .valsignore' : undefined;
      checkNotEmpty(pathTo(workspace, file), code.text, cure);
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      problems.push({ file, name, error });
    }
  }
  const withProblem = new Set(problems.map(({ file }) => file));
  const order = chosen ?? usable.map(({ file }) => file);
  const all = [...usable, ...problems.filter(({ name }) => name === '')];
  const shown = <Each extends PushedFile>(each: Each): Each => ({
    ...each,
    file: pathTo(workspace, each.file),
  });
  return {
    locals: inOrder(
      locals.filter(({ file }) => !withProblem.has(file)),
      order,
    ),
    all: inOrder(all, order).map(({ file, name }) => shown({ file, name })),
    failed: problems.map(shown),
  };
}

function inOrder<Each extends { file: string }>(items: readonly Each[], order: readonly string[]): Each[] {
  const places = new Map(order.map((file, place) => [file, place]));
  const placeOf = ({ file }: Each) => places.get(file) ?? order.length;
  return items.toSorted((a, b) => placeOf(a) - placeOf(b));
}
