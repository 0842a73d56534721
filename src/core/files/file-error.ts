import { LocalError } from '../errors.ts';
import { UnusableFile } from '../lib/plain-file.ts';
import { errnoOf, errorMessageOf } from '../lib/system.ts';

const problems: Record<string, string> = {
  EACCES: 'cannot be read, because you have no permission',
  EPERM: 'cannot be read, because you have no permission',
  ELOOP: 'is a link that leads back to itself',
  EMFILE: 'cannot be read, because the limit on open files is too low',
};

const hints: Record<string, string> = {
  EACCES: 'Check the permissions of the file.',
  EPERM: 'Check the permissions of the file.',
  EMFILE: 'Raise the limit with `ulimit -n 1024`.',
};

export const missingFile = (file: string, cause?: unknown, suggestion = ''): LocalError =>
  new LocalError(`${file} does not exist.${suggestion}`, {
    hint: file.includes('*')
      ? 'Your shell did not replace the * with the names of files. Give the files, or their folder.'
      : 'Check the path.',
    ofMany: 'There is no such file.',
    cause,
  });

export function fileError(file: string, error: unknown): LocalError {
  if (error instanceof UnusableFile) {
    return new LocalError(`${file} ${error.problem}.`, {
      hint: 'Give the path of a regular file, not of a folder, pipe or device.',
      cause: error,
    });
  }
  const code = errnoOf(error) ?? '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return missingFile(file, error);
  const problem = problems[code] ?? `could not be read: ${errorMessageOf(error)}`;
  const hint = hints[code] ?? 'Check the path.';
  return new LocalError(`${file} ${problem}.`, { hint, ofMany: `Each ${problem}.`, cause: error });
}
