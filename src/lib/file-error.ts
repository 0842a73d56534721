import { LocalError } from '../errors.ts';
import { raiseFileLimit } from './open-files.ts';
import { UnusableFile } from './plain-file.ts';
import { errnoOf, errorMessageOf } from './system.ts';

const problems: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read, because you have no permission',
  EPERM: 'cannot be read, because you have no permission',
  ENOTDIR: 'does not exist',
  ELOOP: 'is a link that leads back to itself',
  EMFILE: 'cannot be read, because the limit on open files is too low',
};

const hints: Record<string, string> = {
  EACCES: 'Check the permissions of the file.',
  EPERM: 'Check the permissions of the file.',
  EMFILE: raiseFileLimit,
};

export function fileError(file: string, error: unknown): LocalError {
  if (error instanceof UnusableFile) {
    return new LocalError(`${file} ${error.problem}.`, {
      hint: 'Give the path of a regular file, not of a folder, pipe or device.',
      cause: error,
    });
  }
  const code = errnoOf(error) ?? '';
  const problem = problems[code] ?? `could not be read: ${errorMessageOf(error)}`;
  return new LocalError(`${file} ${problem}.`, { hint: hints[code] ?? 'Check the path.', cause: error });
}
