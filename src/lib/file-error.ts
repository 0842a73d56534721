// The error for a file that cannot be read.
import { LocalError } from '../errors.ts';
import { errnoOf, messageOf } from './errno.ts';
import { NotPlainFile } from './plain-file.ts';

export function fileError(file: string, error: unknown): LocalError {
  if (error instanceof NotPlainFile) {
    return new LocalError(`${file} ${error.problem}.`, {
      hint: 'Give the path of a plain file.',
      cause: error,
    });
  }
  const problems: Record<string, string> = {
    ENOENT: 'does not exist',
    EACCES: 'cannot be read, because you have no permission',
    EPERM: 'cannot be read, because you have no permission',
    ENOTDIR: 'does not exist',
    ELOOP: 'is a link that leads back to itself',
  };
  return new LocalError(
    `${file} ${problems[errnoOf(error) ?? ''] ?? `could not be read: ${messageOf(error)}`}.`,
    {
      hint: /^E(?:ACCES|PERM)$/.test(errnoOf(error) ?? '') ? 'Check its permissions.' : 'Check the path.',
      cause: error,
    },
  );
}
